"""The numbers of float32 tensors on the CPU whose values are all finite: by a compiled kernel, or by torch.

Both ways agree to six digits. `reference` computes the numbers of all other tensors.

Torch's way adds up in float64. Sums of float32 numbers and of their squares do not overflow or vanish there. Only deviations that are tiny
beside their mean are lost, and computed again. Tensors are read in blocks that stay in the cache of a processor.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from comgra_export.recorder.numbers import kernels
from comgra_export.recorder.numbers.buffers import Scratch
from comgra_export.recorder.numbers.parts import RowSums, Summary, summarize_rows

__all__ = ["aggregate_columns", "read_rows", "summarize_stack"]

_Doubles = NDArray[np.float64]

# If squares are larger than this beside the squared deviations, their difference has less than the seven digits of float32.
_CANCELLED = 1e8
_BLOCK = 262_144


def read_rows(rows: Tensor, scratch: Scratch) -> RowSums | None:
    """Adds up every row of `[R, N]`; None if a value is not finite.

    The rows are float32 on the CPU, contiguous, and neither `R` nor `N` is 0.
    """
    if kernels.are_worthwhile(rows.numel()):
        return kernels.read_rows(rows, len(rows))
    blocks = []
    zeros = 0
    for values in _blocks(rows):
        lowest, highest = torch.amin(values, dim=1).numpy(), torch.amax(values, dim=1).numpy()
        if not (np.isfinite(lowest).all() and np.isfinite(highest).all()):
            return None
        wide = scratch.take("wide", tuple(values.shape), torch.float64).copy_(values)
        total, norm = wide.sum(dim=1).numpy(), torch.linalg.vector_norm(wide, dim=1).numpy()
        of_magnitudes = wide.abs_().sum(dim=1).numpy() if lowest.min() < 0 else total
        if ((lowest <= 0) & (highest >= 0)).any():
            zeros += np.count_nonzero(values.numpy() == 0)
        blocks.append(np.stack([lowest, highest, total, of_magnitudes, np.square(norm)]))
    sums = np.concatenate(blocks, axis=1)
    if sums.shape[1] != len(rows):  # Blocks are parts of rows.
        parts = sums.reshape(5, len(rows), -1)
        sums = np.concatenate([parts[:1].min(axis=2), parts[1:2].max(axis=2), parts[2:].sum(axis=2)])
    _subtract_centers(rows, sums)
    return RowSums(rows.shape[1], sums.reshape(-1), zeros)


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
    return summary._replace(aggregates=torch.stack([aggregate_columns(rows, scratch) for rows in stack.unbind()]))


def aggregate_columns(matrix: Tensor, scratch: Scratch) -> Tensor:
    """`[B, M]`, finite, to `[3, M]`: mean, largest magnitude and standard deviation over the batch."""
    if kernels.are_worthwhile(matrix.numel()):
        return kernels.aggregate_columns(matrix)
    columns = max(1, _BLOCK // len(matrix))
    return torch.cat([_aggregate_block(block, scratch) for block in matrix.split(columns, dim=1)], dim=1)


def _blocks(rows: Tensor) -> Iterator[Tensor]:
    """`[R, N]` in order: several rows at a time, or parts of one row."""
    size = rows.shape[1]
    if size <= _BLOCK:
        yield from rows.split(_BLOCK // size)
    else:
        for row in rows.split(1):
            yield from row.split(_BLOCK, dim=1)


def _subtract_centers(rows: Tensor, sums: _Doubles) -> None:
    """Replaces the sums of squares in `[5, R]` by sums of squared deviations from the mean."""
    lowest, highest, total, _, squares = sums
    mean = total / rows.shape[1]
    spread = squares - total * mean
    spread[lowest == highest] = 0
    is_poor = (spread * _CANCELLED < squares) & (lowest != highest)
    if is_poor.any():
        spread[is_poor] = np.square(rows.numpy()[is_poor] - mean[is_poor, None]).sum(axis=1)
    sums[4] = spread


def _aggregate_block(block: Tensor, scratch: Scratch) -> Tensor:
    wide = scratch.take("wide", tuple(block.shape), torch.float64).copy_(block)
    mean, largest = wide.mean(dim=0), torch.maximum(wide.amin(dim=0).abs_(), wide.amax(dim=0).abs_())
    squares = torch.square(wide, out=scratch.take("other", tuple(block.shape), torch.float64)).sum(dim=0)
    spread = squares - mean.square() * len(block)
    is_poor = spread * _CANCELLED < squares
    if bool(is_poor.any()):
        spread[is_poor] = (wide[:, is_poor] - mean[is_poor]).square_().sum(dim=0)
    return torch.stack([mean, largest, spread.div_(max(len(block) - 1, 1)).sqrt_()]).float()
