"""What the ways of computing numbers on the CPU have in common."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

__all__ = ["CpuSummary", "items_over_batch"]


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


def items_over_batch(items: NDArray[np.float64]) -> NDArray[np.float64]:
    """`[4, B, T]` to `[T, 4, 3]`. A standard deviation over one sample is 0."""
    mean = items.mean(axis=1)
    deviations = items - mean[:, None]
    std = np.sqrt(np.square(deviations, out=deviations).sum(axis=1) / max(items.shape[1] - 1, 1))
    together: NDArray[np.float64] = np.stack([mean, np.abs(items).max(axis=1), std], axis=1).transpose(2, 0, 1)
    return together
