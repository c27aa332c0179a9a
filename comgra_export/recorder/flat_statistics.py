"""The same numbers as in `statistics`, for many small tensors of different shapes on the CPU, none of which has a batch dimension."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

__all__ = ["FlatSummary", "flat_summary"]

_Floats = NDArray[np.float64]


class FlatSummary(NamedTuple):
    """Numbers of `T` tensors: `counts` int64 `[T, 4]`; float32 `extrema` `[T, 2]` and `items` `[T, 4]`, as everywhere."""

    counts: Tensor
    extrema: Tensor
    items: Tensor


def flat_summary(tensors: Sequence[Tensor]) -> FlatSummary:
    """Computes the numbers of tensors on the CPU, each of which has at least one value, and none that float32 cannot hold.

    They are put together and reduced piece by piece: dozens of shapes cost no more than one.
    """
    sizes = np.array([tensor.numel() for tensor in tensors])
    starts = np.concatenate([[0], sizes[:-1].cumsum()])
    values = torch.cat([tensor.reshape(-1).to(torch.float64) for tensor in tensors]).numpy()
    with np.errstate(all="ignore"):
        magnitudes = np.abs(values)
        top = np.maximum.reduceat(magnitudes, starts)
        mean = np.add.reduceat(values, starts) / sizes
        deviations = values - np.repeat(mean, sizes)
        spread = np.add.reduceat(np.square(deviations, out=deviations), starts)
        std = np.sqrt(spread / np.maximum(sizes - 1, 1))
        std[sizes == 1] = 0
        items = np.stack([mean, np.add.reduceat(magnitudes, starts) / sizes, std, top], axis=1)
        if np.isfinite(top).all():
            counts = np.zeros((len(sizes), 4), np.int64)
            extrema = np.stack([np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)], axis=1)
        else:
            not_finite = (np.isnan(values), values == np.inf, values == -np.inf)
            counts = np.stack([np.add.reduceat(hits, starts, dtype=np.int64) for hits in (*not_finite, not_finite[0])], axis=1)
            extrema = _finite_extrema(values, np.isfinite(values), starts)
        counts[:, 3] = np.add.reduceat(values == 0, starts, dtype=np.int64)
        return FlatSummary(*(torch.from_numpy(numbers) for numbers in (counts, extrema.astype(np.float32), items.astype(np.float32))))


def _finite_extrema(values: _Floats, is_finite: NDArray[np.bool_], starts: NDArray[np.int64]) -> _Floats:
    smallest = np.minimum.reduceat(np.where(is_finite, values, np.inf), starts)
    largest = np.maximum.reduceat(np.where(is_finite, values, -np.inf), starts)
    is_empty = smallest > largest
    smallest[is_empty] = largest[is_empty] = np.nan
    return np.stack([smallest, largest], axis=1)
