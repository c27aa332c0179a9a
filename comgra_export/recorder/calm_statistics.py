"""The same numbers as in `statistics`, in a fifth of the time, for float32 tensors on the CPU whose values are finite and of usual size.

Only reductions that torch vectorises are used, most of them over memory that the one before has brought into the cache. What needs more
than float32 (a deviation that is small beside its mean or beside everything) is found by looking, and computed again in float64.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from comgra_export.recorder.cpu_summary import CpuSummary, items_over_batch
from comgra_export.recorder.scratch import Scratch

__all__ = ["calm_summary"]

_Doubles = NDArray[np.float64]

# Squares of these, and a sum of thousands of them, are in the range of float32.
_LARGEST = 1e15
_SMALLEST_SQUARES = 1e-30
# A norm in float32 over no more than this is good to six digits; longer ones are put together in float64.
_PIECE = 2048
# Up to this many, counting in float32 is exact.
_COUNTABLE = 2**24


def calm_summary(stack: Tensor, of_batch: bool, of_values: bool, scratch: Scratch) -> CpuSummary | None:
    """Computes the numbers of `[T, B, N]` on the CPU, or returns None where the shortcuts of this module do not hold.

    Args:
        stack: The values.
        of_batch: Whether to compute `over_batch`.
        of_values: Whether to compute `aggregates`.
        scratch: Where intermediate results lie.
    """
    if stack.dtype != torch.float32 or not stack.numel():
        return None
    stack = stack.contiguous()
    tensors, batch, size = stack.shape
    rows = stack.view(tensors * batch, size)
    smallest, largest = rows.amin(dim=1).numpy(), rows.amax(dim=1).numpy()
    top = np.maximum(largest, -smallest)
    if not (top <= _LARGEST).all():
        return None
    mean = rows.sum(dim=1).double().numpy() / size
    magnitudes = torch.abs(stack, out=scratch.take("magnitudes", tuple(stack.shape), torch.float32))
    mean_magnitude = magnitudes.view(tensors * batch, size).sum(dim=1).double().numpy() / size
    items = np.stack([mean, mean_magnitude, _deviations_of_rows(rows, mean, largest != smallest), top.astype(np.float64)])
    items = items.reshape(4, tensors, batch).transpose(0, 2, 1)
    extrema = [smallest.reshape(tensors, batch).min(axis=1), largest.reshape(tensors, batch).max(axis=1)]
    aggregates = _over_batch(stack, magnitudes, scratch) if of_values else None
    counts = torch.zeros(tensors, 4, dtype=torch.int64)
    if not bool(magnitudes.amin() > 0):
        counts[:, 3] = _zeros(magnitudes.view(tensors, batch * size))
    return CpuSummary(
        counts=counts,
        extrema=torch.from_numpy(np.stack(extrema, axis=1)),
        items=torch.from_numpy(items.transpose(2, 0, 1)).float(),
        over_batch=torch.from_numpy(items_over_batch(items)).float() if of_batch else None,
        aggregates=aggregates,
    )


def _squares(rows: Tensor) -> _Doubles:
    """Sums of squares of `[R, N]`, to `[R]`."""
    size = rows.shape[1]
    pieces = -(-size // _PIECE)
    if size % pieces == 0:
        return _squared_norms(rows.unflatten(1, (pieces, size // pieces)))
    whole = size - size % _PIECE
    return _squared_norms(rows[:, :whole].unflatten(1, (-1, _PIECE))) + _squared_norms(rows[:, None, whole:])


def _squared_norms(pieces: Tensor) -> _Doubles:
    """`[R, P, M]` to `[R]`."""
    norms: _Doubles = torch.linalg.vector_norm(pieces, dim=2).double().numpy()
    squares: _Doubles = np.square(norms, out=norms).sum(axis=1)
    return squares


def _deviations_of_rows(rows: Tensor, mean: _Doubles, varies: NDArray[np.bool_]) -> _Doubles:
    """`[R, N]` to `[R]`."""
    size = rows.shape[1]
    if size < 2:
        return np.zeros_like(mean)
    squares = _squares(rows)
    spread = squares - size * np.square(mean)
    # Where the mean is large beside the deviation, their difference has lost digits.
    is_poor = ((spread * 4 < squares) | (squares < _SMALLEST_SQUARES)) & varies
    if is_poor.any():
        spread[is_poor] = _spread_around(rows if is_poor.all() else rows[torch.from_numpy(is_poor)], mean[is_poor])
    spread[~varies] = 0
    deviations: _Doubles = np.sqrt(np.maximum(spread, 0) / (size - 1))
    return deviations


def _spread_around(rows: Tensor, centers: _Doubles) -> _Doubles:
    """Sums of squared deviations from the mean of `[R, N]`, to `[R]`; `centers` are the means, or almost."""
    deviations = rows - torch.from_numpy(centers).float()[:, None]
    squares = _squares(deviations)
    shift = np.square(deviations.sum(dim=1).double().numpy()) / rows.shape[1]
    is_poor = (squares < _SMALLEST_SQUARES) | (shift * 4 > squares)
    spread: _Doubles = squares - shift
    if is_poor.any():
        wide = rows[torch.from_numpy(is_poor)].double()
        spread[is_poor] = (wide - wide.mean(dim=1, keepdim=True)).square_().sum(dim=1).numpy()
    return spread


def _over_batch(stack: Tensor, magnitudes: Tensor, scratch: Scratch) -> Tensor:
    """`[T, B, N]` to `[T, 3, N]`."""
    batch = stack.shape[1]
    mean = stack.sum(dim=1).div_(batch)
    result = torch.stack([mean, magnitudes.amax(dim=1), torch.zeros_like(mean)], dim=1)
    if batch < 2:
        return result
    deviations = torch.sub(stack, mean[:, None], out=scratch.take("deviations", tuple(stack.shape), torch.float32))
    shift = deviations.sum(dim=1).square_().div_(batch)
    squares = deviations.square_().sum(dim=1)
    poor = ((squares < _SMALLEST_SQUARES) & (result[:, 1] > 0)) | (shift * 4 > squares)
    result[:, 2] = squares.sub_(shift).div_(batch - 1).clamp_(min=0).sqrt_()
    if bool(poor.any()):
        tensors, values = poor.nonzero(as_tuple=True)
        columns = stack.transpose(1, 2)[tensors, values].double()
        columns -= columns.mean(dim=1, keepdim=True)
        result[tensors, 2, values] = (columns.square_().sum(dim=1) / (batch - 1)).sqrt_().float()
    return result


def _zeros(magnitudes: Tensor) -> Tensor:
    """How many zeros there are in `[T, M]` without negative values, which are overwritten; `[T]`."""
    if magnitudes.shape[1] > _COUNTABLE:
        return torch.stack([row.numel() - torch.count_nonzero(row) for row in magnitudes])
    return magnitudes.shape[1] - magnitudes.sign_().sum(dim=1).long()
