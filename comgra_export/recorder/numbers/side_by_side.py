"""The same numbers as in `statistics`, for many small tensors of any shapes at once, on the CPU.

The tensors lie beside each other in one matrix: a row per sample, and the columns of one tensor after those of another. So dozens of
shapes cost no more calls than one, and all sums are over memory that stays in the cache. They are added up in float64, in which what
float32 holds neither overflows nor cancels out: only deviations that are tiny beside their mean are computed a second time.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from comgra_export.recorder.numbers.buffers import Scratch
from comgra_export.recorder.numbers.parts import CpuSummary, items_over_batch

__all__ = ["summarize_side_by_side"]

_Doubles = NDArray[np.float64]
_Positions = NDArray[np.int64]

# Where squares are larger than this beside the squared deviations, their difference has less than the seven digits of float32.
_CANCELLED = 1e8


def summarize_side_by_side(matrix: Tensor, sizes: Sequence[int], of_batch: bool, of_values: bool, scratch: Scratch) -> CpuSummary | None:
    """Computes the numbers of tensors that lie side by side.

    Args:
        matrix: `[B, M]` on the CPU, of any real dtype whose values float32 can hold; neither `B` nor `M` is 0.
        sizes: How many columns each tensor has, at least one.
        of_batch: Whether to compute `over_batch`.
        of_values: Whether to compute `aggregates`.
        scratch: Where intermediate results lie.

    Returns:
        The numbers; None where a value is not finite.
    """
    shape = (len(matrix), matrix.shape[1])
    wide = scratch.take("wide", shape, torch.float64).copy_(matrix)
    lowest, highest = wide.amin(dim=0), wide.amax(dim=0)
    largest = torch.maximum(lowest.abs(), highest.abs())
    if not bool(largest.isfinite().all()):
        return None
    magnitudes = torch.abs(wide, out=scratch.take("magnitudes", shape, torch.float64))
    squares = torch.square(wide, out=scratch.take("squares", shape, torch.float64))
    widths = np.asarray(sizes)
    starts = widths.cumsum() - widths
    sums = _add_up(wide, starts)
    mean, spread = sums / widths, _add_up(squares, starts)
    _subtract_centers(spread, sums, mean, wide, widths)
    std = np.sqrt(spread / np.maximum(widths - 1, 1))
    items = np.stack([mean, _add_up(magnitudes, starts) / widths, std, np.maximum.reduceat(magnitudes.numpy(), starts, axis=1)])
    extrema = [np.minimum.reduceat(lowest.numpy(), starts), np.maximum.reduceat(highest.numpy(), starts)]
    return CpuSummary(
        extrema=torch.from_numpy(np.stack(extrema, axis=1)).float(),
        items=torch.from_numpy(items.transpose(2, 0, 1)).float(),
        over_batch=torch.from_numpy(items_over_batch(items)).float() if of_batch else None,
        aggregates=_aggregates(wide, largest, squares) if of_values else None,
        counts=_counts(magnitudes, starts, widths * len(matrix)),
    )


def _add_up(rows: Tensor, starts: _Positions) -> _Doubles:
    """`[B, M]` to `[B, T]`."""
    return np.add.reduceat(rows.numpy(), starts, axis=1)


def _subtract_centers(spread: _Doubles, sums: _Doubles, mean: _Doubles, wide: Tensor, widths: _Positions) -> None:
    """Makes sums of squared deviations from the mean of sums of squares, `[B, T]`."""
    squares = spread.copy()
    spread -= sums * mean
    is_poor = (spread * _CANCELLED < squares).any(axis=0)
    if is_poor.any():
        columns, poor = np.repeat(is_poor, widths), widths[is_poor]
        deviations = wide.numpy()[:, columns] - np.repeat(mean[:, is_poor], poor, axis=1)
        spread[:, is_poor] = np.add.reduceat(np.square(deviations, out=deviations), poor.cumsum() - poor, axis=1)


def _aggregates(wide: Tensor, largest: Tensor, squares: Tensor) -> Tensor:
    """`[B, M]` to `[3, M]`."""
    batch = len(wide)
    mean, total = wide.mean(dim=0), squares.sum(dim=0)
    spread = total - mean.square() * batch
    is_poor = spread * _CANCELLED < total
    if bool(is_poor.any()):
        spread[is_poor] = (wide[:, is_poor] - mean[is_poor]).square_().sum(dim=0)
    return torch.stack([mean, largest, spread.div_(max(batch - 1, 1)).sqrt_()]).float()


def _counts(magnitudes: Tensor, starts: _Positions, values: _Positions) -> Tensor:
    """`[T, 4]`; the magnitudes are overwritten."""
    counts = torch.zeros(len(starts), 4, dtype=torch.int64)
    if not bool(magnitudes.amin() > 0):
        others = np.add.reduceat(magnitudes.sign_().sum(dim=0).numpy(), starts)
        counts[:, 3] = torch.from_numpy(values - others.astype(np.int64))
    return counts
