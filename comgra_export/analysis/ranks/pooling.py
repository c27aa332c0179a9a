"""The numbers of several sets of values, from which those of all values together follow.

Sets are numbered by the first axis (`R` of them); every function reduces it. An empty set has no influence, whatever its numbers are. NaN
is not skipped. Everything is computed in float64. numpy warns of operations on infinities; callers say whether they want to hear of it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["pool_batches", "pooled_max", "pooled_mean", "pooled_std"]

Floats = NDArray[np.float64]
Sizes = NDArray[np.int64]


def pooled_mean(means: Floats, sizes: Sizes) -> Floats:
    """The mean of all values: the means of the sets, weighted by their sizes.

    Args:
        means: `[R, ...]`.
        sizes: `[R, ...]`: how many values each set has.

    Returns:
        `[...]`; NaN if there is no value.
    """
    total = sizes.sum(axis=0)
    # Weighted before they are added: the sum of large numbers need not be one that float64 can hold.
    mean = np.where(sizes > 0, means * (sizes / np.maximum(total, 1)), 0.0).sum(axis=0)
    return np.asarray(np.where(total > 0, mean, np.nan))


def pooled_max(maxima: Floats, sizes: Sizes) -> Floats:
    """The largest of all magnitudes: the largest of the sets' largest ones. Shapes and the empty case as in `pooled_mean`."""
    largest = np.where(sizes > 0, maxima, -np.inf).max(axis=0)
    return np.asarray(np.where(sizes.sum(axis=0) > 0, largest, np.nan))


def pooled_std(stds: Floats, means: Floats, sizes: Sizes, mean: Floats) -> Floats:
    """The unbiased standard deviation of all values.

    The sums of squared deviations from the sets' own means are added, and what lies between those means and the common one: Chan, Golub
    and LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances" (1979), for `R` sets at once.
    It is as exact as the numbers given: means that were rounded to float32 give an error of about 1e-7 of their magnitude.

    Args:
        stds: `[R, ...]`: unbiased; of sets with one value it does not matter.
        means: `[R, ...]`.
        sizes: `[R, ...]`: how many values each set has.
        mean: `[...]`: that of all values, from `pooled_mean`.

    Returns:
        `[...]`; 0 over a single value, NaN if there is none.
    """
    total = sizes.sum(axis=0)
    filled = sizes > 0
    between = np.where(filled, means - mean, 0.0)
    within = np.where(sizes > 1, stds, 0.0)
    # Squares of small or large numbers are 0 or infinite.
    scale = np.maximum(np.abs(between), np.abs(within)).max(axis=0)
    scale = np.where(np.isfinite(scale) & (scale > 0), scale, 1.0)
    squares = np.maximum(sizes - 1, 0) * np.square(within / scale) + sizes * np.square(between / scale)
    std = np.sqrt(squares.sum(axis=0) / np.maximum(total - 1, 1)) * scale
    return np.asarray(np.where(total > 1, std, np.where(total == 1, 0.0, np.nan)))


def pool_batches(aggregations: Floats, sizes: Sizes) -> Floats:
    """Mean, largest magnitude and standard deviation over all samples, from those over the samples of each set.

    Args:
        aggregations: `[R, 3, ...]`: mean, largest magnitude and standard deviation over the batch.
        sizes: `[R, ...]`: how many samples each set has.

    Returns:
        `[3, ...]`.
    """
    means, maxima, stds = (aggregations[:, position] for position in range(3))
    mean = pooled_mean(means, sizes)
    return np.stack([mean, pooled_max(maxima, sizes), pooled_std(stds, means, sizes, mean)])
