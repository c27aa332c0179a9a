"""The same numbers as in `statistics`, in a fifth of the time, for float32 tensors on the CPU whose values are finite and of usual size.

Only reductions that torch vectorises are used, most of them over memory that the one before has brought into the cache. What needs more
than float32 (a deviation that is small beside its mean or beside everything) is found by looking, and computed again in float64.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

__all__ = ["CalmSummary", "calm_summary"]

# Squares of these, and a sum of thousands of them, are in the range of float32.
_LARGEST = 1e15
_SMALLEST_SQUARES = 1e-30
# A norm in float32 over no more than this is good to six digits; longer ones are put together in float64.
_PIECE = 2048
# Up to this many, counting in float32 is exact.
_COUNTABLE = 2**24


class CalmSummary(NamedTuple):
    """Numbers of a stack.

    Attributes:
        counts: int64 `[T, 4]`.
        extrema: `[T, 2]`.
        items: `[T, 4, B]`: mean, mean magnitude, standard deviation and largest magnitude over the values.
        aggregates: `[T, 3, N]` over the batch, if they were asked for.
    """

    counts: Tensor
    extrema: Tensor
    items: Tensor
    aggregates: Tensor | None


def calm_summary(stack: Tensor, with_aggregates: bool) -> CalmSummary | None:
    """Computes the numbers of `[T, B, N]` on the CPU, or returns None where the shortcuts of this module do not hold."""
    if stack.dtype != torch.float32 or not stack.numel():
        return None
    stack = stack.contiguous()
    tensors, batch, size = stack.shape
    rows = stack.view(tensors * batch, size)
    smallest, largest = rows.amin(dim=1), rows.amax(dim=1)
    top = torch.maximum(largest, -smallest)
    if not bool((top <= _LARGEST).all()):
        return None
    mean = rows.sum(dim=1).div_(size)
    scratch = torch.abs(stack)
    magnitudes = scratch.view(tensors * batch, size)
    abs_mean = magnitudes.sum(dim=1).div_(size)
    std = _deviations_of_rows(rows, mean, largest != smallest)
    aggregates = _over_batch(stack, scratch) if with_aggregates else None
    counts = torch.zeros(tensors, 4, dtype=torch.int64)
    if not bool(scratch.amin() > 0):
        counts[:, 3] = _zeros(scratch.view(tensors, batch * size))
    return CalmSummary(
        counts=counts,
        extrema=torch.stack([smallest.view(tensors, batch).amin(dim=1), largest.view(tensors, batch).amax(dim=1)], dim=1),
        items=torch.stack([mean, abs_mean, std, top]).view(4, tensors, batch).transpose(0, 1),
        aggregates=aggregates,
    )


def _squares(rows: Tensor) -> Tensor:
    """Sums of squares of `[R, N]`, to float64 `[R]`."""
    size = rows.shape[1]
    whole = size - size % _PIECE
    total = torch.zeros(len(rows), dtype=torch.float64)
    for part in (rows[:, :whole].unflatten(1, (-1, _PIECE)), rows[:, None, whole:]):
        if part.numel():
            total += torch.linalg.vector_norm(part, dim=2).double().square_().sum(dim=1)
    return total


def _deviations_of_rows(rows: Tensor, mean: Tensor, varies: Tensor) -> Tensor:
    """`[R, N]` to `[R]`."""
    size = rows.shape[1]
    if size < 2:
        return torch.zeros_like(mean)
    squares = _squares(rows)
    centers = mean.double()
    spread = squares - size * centers.square()
    # Where the mean is large beside the deviation, their difference has lost digits.
    is_poor = (spread * 4 < squares) & varies
    is_poor |= (squares < _SMALLEST_SQUARES) & varies
    if bool(is_poor.any()):
        poor = is_poor.nonzero().squeeze(1)
        spread[poor] = _spread_around(rows if len(poor) == len(rows) else rows[poor], mean[poor])
    spread.masked_fill_(~varies, 0)
    return spread.div_(size - 1).clamp_(min=0).sqrt_().float()


def _spread_around(rows: Tensor, centers: Tensor) -> Tensor:
    """Sums of squared deviations from the mean of `[R, N]`, to float64 `[R]`; `centers` are the means, or almost."""
    deviations = rows - centers[:, None]
    squares = _squares(deviations)
    shift = deviations.sum(dim=1).double().square_().div_(rows.shape[1])
    is_poor = (squares < _SMALLEST_SQUARES) | (shift * 4 > squares)
    spread = squares.sub_(shift)
    if bool(is_poor.any()):
        wide = rows[is_poor].double()
        spread[is_poor] = (wide - wide.mean(dim=1, keepdim=True)).square_().sum(dim=1)
    return spread


def _over_batch(stack: Tensor, magnitudes: Tensor) -> Tensor:
    """`[T, B, N]` to `[T, 3, N]`."""
    batch = stack.shape[1]
    mean = stack.sum(dim=1).div_(batch)
    result = torch.stack([mean, magnitudes.amax(dim=1), torch.zeros_like(mean)], dim=1)
    if batch < 2:
        return result
    deviations = stack - mean[:, None]
    shift = deviations.sum(dim=1).square_().div_(batch)
    squares = deviations.square_().sum(dim=1)
    poor = (((squares < _SMALLEST_SQUARES) & (result[:, 1] > 0)) | (shift * 4 > squares)).nonzero(as_tuple=True)
    result[:, 2] = squares.sub_(shift).div_(batch - 1).clamp_(min=0).sqrt_()
    if len(poor[0]):
        columns = stack.transpose(1, 2)[poor].double()
        columns -= columns.mean(dim=1, keepdim=True)
        result[poor[0], 2, poor[1]] = (columns.square_().sum(dim=1) / (batch - 1)).sqrt_().float()
    return result


def _zeros(magnitudes: Tensor) -> Tensor:
    """How many zeros there are in `[T, M]` without negative values, which are overwritten; `[T]`."""
    if magnitudes.shape[1] > _COUNTABLE:
        return torch.stack([row.numel() - torch.count_nonzero(row) for row in magnitudes])
    return magnitudes.shape[1] - magnitudes.sign_().sum(dim=1).long()
