"""The numbers of float32 tensors on the CPU whose values are all finite: by a compiled kernel, or by torch and numpy.

Both ways agree to six digits. `reference` computes the numbers of all other tensors.

Torch's way adds up in float64. Sums of float32 numbers and of their squares do not overflow or vanish there. Only deviations that are tiny
beside their mean are lost, and computed again. Tensors are read in blocks that stay in the cache of a processor. A block of a large tensor
is added up in float32 if that does not lose digits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from comgra_export.recorder.numbers import kernels
from comgra_export.recorder.numbers.buffers import Scratch
from comgra_export.recorder.numbers.parts import RowSums, Summary, summarize_rows, summarize_sums

__all__ = ["read_rows", "summarize_side_by_side", "summarize_stack"]

_Doubles = NDArray[np.float64]
_Integers = NDArray[np.int64]

# If squares are larger than this beside the squared deviations, their difference has less than the seven digits of float32.
_CANCELLED = 1e8
# In float32, squares have lost digits sooner. They also vanish if they are small, and a longer norm is not right to six digits.
_QUICKLY_CANCELLED, _SMALLEST_SQUARES, _PIECE = 4, 1e-30, 2048
_BLOCK = 262_144


def read_rows(rows: Tensor, scratch: Scratch) -> RowSums | None:
    """Adds up every row of `[R, N]`; None if a value is not finite.

    The rows are float32 on the CPU, contiguous, and neither `R` nor `N` is 0.
    """
    if kernels.are_worthwhile(rows.numel()):
        return kernels.read_rows(rows, len(rows))
    size = rows.shape[1]
    columns = _read_columns(rows, np.array([size]), scratch)
    return None if columns is None else RowSums(size, columns[0].reshape(-1), int(columns[1][0]))


def summarize_stack(stack: Tensor, of_batch: bool, of_values: bool, scratch: Scratch) -> Summary | None:
    """Computes the numbers of tensors of one shape; None if a value is not finite.

    The stack is float32 `[T, B, N]` on the CPU, contiguous, not empty. `of_batch` asks for `over_batch`, and `of_values` for `aggregates`.
    """
    tensors = []
    for rows in stack.unbind():
        sums = read_rows(rows, scratch)
        if sums is None:
            return None
        tensors.append(sums)
    summary = summarize_rows(tensors, of_batch)
    if not of_values:
        return summary
    return summary._replace(aggregates=torch.stack([_aggregate_columns(rows, scratch) for rows in stack.unbind()]))


def summarize_side_by_side(matrix: Tensor, sizes: Sequence[int], of_batch: bool, of_values: bool, scratch: Scratch) -> Summary | None:
    """Computes the numbers of small tensors that lie side by side; None if a value is not finite.

    A row of the matrix is a sample, and the columns of a tensor follow those of the tensor before it: `sizes` of each, at least one. So
    dozens of shapes take no more calls than one shape.

    The matrix is float32 `[B, M]` on the CPU, contiguous, and neither `B` nor `M` is 0. `of_batch` asks for `over_batch`, and `of_values`
    for `aggregates`.
    """
    if kernels.are_worthwhile(1):
        summary = kernels.summarize_side_by_side(matrix, sizes, of_batch)
    else:
        columns = _read_columns(matrix, np.asarray(sizes), scratch)
        summary = None if columns is None else summarize_sums(sizes, columns[0], columns[1].tolist(), of_batch)
    if summary is None or not of_values:
        return summary
    return summary._replace(aggregates=_aggregate_columns(matrix, scratch))


def _read_columns(matrix: Tensor, sizes: _Integers, scratch: Scratch) -> tuple[_Doubles, _Integers] | None:
    """Adds up the rows of tensors that lie side by side.

    Returns:
        The sums, `[5, T, R]`, and how many values are zero, `[T]`; None if a value is not finite.
    """
    starts = sizes.cumsum() - sizes
    blocks = []
    zeros = np.zeros(len(sizes), np.int64)
    for values in _blocks(matrix) if len(sizes) == 1 else [matrix]:
        lowest, highest = _reduce(np.minimum, values, starts), _reduce(np.maximum, values, starts)
        if not (np.isfinite(lowest).all() and np.isfinite(highest).all()):
            return None
        quick = _quick_sums(values, lowest, highest) if len(sizes) == 1 else None
        source, (total, squares) = (values, quick) if quick is not None else _exact_sums(values, starts, scratch)
        of_magnitudes = total
        if lowest.min() < 0:
            of_magnitudes = _reduce(np.add, torch.abs(source, out=scratch.take("other", tuple(values.shape), source.dtype)), starts)
        if ((lowest <= 0) & (highest >= 0)).any():
            zeros += _zeros(values, starts)
        blocks.append(np.stack([lowest, highest, total, of_magnitudes, squares]))
    sums = np.concatenate(blocks, axis=1)
    if sums.shape[1] != len(matrix):  # Blocks are parts of rows.
        parts = sums.reshape(5, len(matrix), -1, 1)
        sums = np.concatenate([parts[:1].min(axis=2), parts[1:2].max(axis=2), parts[2:].sum(axis=2)])
    _subtract_centers(matrix, sizes, sums)
    return sums.transpose(0, 2, 1), zeros


def _blocks(rows: Tensor) -> Iterator[Tensor]:
    """`[R, N]` in order: several rows at a time, or parts of one row."""
    size = rows.shape[1]
    if size <= _BLOCK:
        yield from rows.split(_BLOCK // size)
    else:
        for row in rows.split(1):
            yield from row.split(_BLOCK, dim=1)


def _reduce(operation: np.ufunc, values: Tensor, starts: _Integers) -> _Doubles:
    """`[R, M]` to `[R, T]`."""
    reduced: _Doubles
    if len(starts) > 1:
        reduced = operation.reduceat(values.numpy(), starts, axis=1)
    else:  # Torch is faster, but has no such function for several tensors.
        reduction = torch.sum if operation is np.add else torch.amin if operation is np.minimum else torch.amax
        reduced = reduction(values, dim=1, keepdim=True).numpy()
    return reduced


def _quick_sums(rows: Tensor, lowest: _Doubles, highest: _Doubles) -> tuple[_Doubles, _Doubles] | None:
    """Sums of `[R, N]` and of the squares, `[R, 1]` each, in float32; None if they would cancel out, overflow or vanish.

    Those of a row that holds a single value are exact: the other blocks of a tensor may hold almost the same value.
    """
    size = rows.shape[1]
    whole = size - size % _PIECE
    squares = np.zeros((len(rows), 1))
    for pieces in (rows[:, :whole].unflatten(1, (-1, _PIECE)), rows[:, None, whole:]):
        norms = torch.linalg.vector_norm(pieces, dim=2).numpy()
        squares += np.square(norms, dtype=np.float64).sum(axis=1, keepdims=True)
    total = rows.sum(dim=1, keepdim=True).numpy().astype(np.float64)
    with np.errstate(all="ignore"):
        spread = squares - np.square(total) / size
    is_constant = lowest == highest
    is_varied = (spread * _QUICKLY_CANCELLED >= squares) & (squares > _SMALLEST_SQUARES)
    if not (np.isfinite(squares) & (is_constant | is_varied)).all():
        return None
    value = lowest.astype(np.float64)
    return np.where(is_constant, value * size, total), np.where(is_constant, np.square(value) * size, squares)


def _exact_sums(values: Tensor, starts: _Integers, scratch: Scratch) -> tuple[Tensor, tuple[_Doubles, _Doubles]]:
    """The values of `[R, M]` in float64, their sums and those of their squares, `[R, T]` each."""
    wide = scratch.take("wide", tuple(values.shape), torch.float64).copy_(values)
    total = _reduce(np.add, wide, starts)
    if len(starts) == 1:
        return wide, (total, np.square(torch.linalg.vector_norm(wide, dim=1, keepdim=True).numpy()))
    return wide, (total, _reduce(np.add, torch.square(wide, out=scratch.take("other", tuple(wide.shape), torch.float64)), starts))


def _zeros(values: Tensor, starts: _Integers) -> _Integers:
    """How many values of `[R, M]` are zero, `[T]`."""
    is_zero = values.numpy() == 0
    if len(starts) > 1:
        zeros: _Integers = np.add.reduceat(is_zero.sum(axis=0), starts)
        return zeros
    return np.array([np.count_nonzero(is_zero)])


def _subtract_centers(matrix: Tensor, sizes: _Integers, sums: _Doubles) -> None:
    """Replaces the sums of squares in `[5, R, T]` by sums of squared deviations from the mean."""
    lowest, highest, total, _, squares = sums
    mean = total / sizes
    spread = squares - total * mean
    spread[lowest == highest] = 0
    is_poor = (spread * _CANCELLED < squares) & (lowest != highest)
    if is_poor.any():
        rows, tensors = is_poor.any(axis=1), is_poor.any(axis=0)
        values = matrix.numpy()[np.ix_(rows, np.repeat(tensors, sizes))]
        deviations = values - np.repeat(mean[np.ix_(rows, tensors)], sizes[tensors], axis=1)
        starts = sizes[tensors].cumsum() - sizes[tensors]
        spread[np.ix_(rows, tensors)] = np.add.reduceat(np.square(deviations, out=deviations), starts, axis=1)
    sums[4] = spread


def _aggregate_columns(matrix: Tensor, scratch: Scratch) -> Tensor:
    """`[B, M]`, finite, to `[3, M]`: mean, largest magnitude and standard deviation over the batch."""
    if kernels.are_worthwhile(matrix.numel()):
        return kernels.aggregate_columns(matrix)
    columns = max(1, _BLOCK // len(matrix))
    return torch.cat([_aggregate_block(block, scratch) for block in matrix.split(columns, dim=1)], dim=1)


def _aggregate_block(block: Tensor, scratch: Scratch) -> Tensor:
    wide = scratch.take("wide", tuple(block.shape), torch.float64).copy_(block)
    mean, largest = wide.mean(dim=0), torch.maximum(wide.amin(dim=0).abs_(), wide.amax(dim=0).abs_())
    squares = torch.square(wide, out=scratch.take("other", tuple(block.shape), torch.float64)).sum(dim=0)
    spread = squares - mean.square() * len(block)
    is_poor = spread * _CANCELLED < squares
    if bool(is_poor.any()):
        spread[is_poor] = (wide[:, is_poor] - mean[is_poor]).square_().sum(dim=0)
    return torch.stack([mean, largest, spread.div_(max(len(block) - 1, 1)).sqrt_()]).float()
