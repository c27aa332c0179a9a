"""What the ways of computing numbers on the CPU have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

__all__ = ["CpuSummary", "RowSums", "items_over_batch", "summarize_rows"]

_Doubles = NDArray[np.float64]


class CpuSummary(NamedTuple):
    """Numbers of `T` tensors with `B` samples.

    Attributes:
        counts: int64 `[T, 4]`, as in `Summary`.
        extrema: float32 `[T, 2]`, likewise.
        items: float32 `[T, 4, B]`: mean, mean magnitude, standard deviation and largest magnitude over the values.
        over_batch: float32 `[T, 4, 3]`: mean, largest magnitude and standard deviation of each item over the batch, if asked for.
        aggregates: float32: the same of each value, if asked for: `[T, 3, N]` for tensors of one shape, `[3, M]` for such with `M` values
            per sample together.
    """

    counts: Tensor
    extrema: Tensor
    items: Tensor
    over_batch: Tensor | None
    aggregates: Tensor | None


class RowSums(NamedTuple):
    """What was found of a tensor in which every sample is a row: `R` rows of `N` values.

    Attributes:
        size: `N`.
        sums: Of each row the smallest and the largest value, the sums of values and of magnitudes, and the sum of squared deviations from
            the mean: float64 `[5 * R]`.
        zeros: How many values are zero.
    """

    size: int
    sums: _Doubles
    zeros: int


def summarize_rows(tensors: Sequence[RowSums], of_batch: bool) -> CpuSummary:
    """Computes the numbers of tensors from what was found of them.

    Args:
        tensors: At least one; with as many rows each.
        of_batch: Whether to compute `over_batch`.
    """
    sizes = np.array([[one.size] for one in tensors])
    smallest, largest, total, of_magnitudes, spread = np.stack([one.sums.reshape(5, -1) for one in tensors], axis=1)
    std = np.sqrt(np.maximum(spread, 0) / np.maximum(sizes - 1, 1))
    items = np.stack([total / sizes, of_magnitudes / sizes, std, np.maximum(largest, -smallest)])
    counts = np.zeros((len(tensors), 4), np.int64)
    counts[:, 3] = [one.zeros for one in tensors]
    return CpuSummary(
        counts=torch.from_numpy(counts),
        extrema=torch.from_numpy(np.stack([smallest.min(axis=1), largest.max(axis=1)], axis=1)).float(),
        items=torch.from_numpy(items.transpose(1, 0, 2)).float(),
        over_batch=torch.from_numpy(items_over_batch(items.transpose(0, 2, 1))).float() if of_batch else None,
        aggregates=None,
    )


def items_over_batch(items: _Doubles) -> _Doubles:
    """`[4, B, T]` to `[T, 4, 3]`. A standard deviation over one sample is 0."""
    mean = items.mean(axis=1)
    deviations = items - mean[:, None]
    std = np.sqrt(np.square(deviations, out=deviations).sum(axis=1) / max(items.shape[1] - 1, 1))
    together: _Doubles = np.stack([mean, np.abs(items).max(axis=1), std], axis=1).transpose(2, 0, 1)
    return together
