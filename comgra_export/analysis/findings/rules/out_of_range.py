"""How many values of a tensor lie outside a range, as far as statistics and histograms prove it."""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import NDArray

from comgra_export.analysis.history.series import Series
from comgra_export.storage.arrays.histograms import BIN_EDGES, Histogram

__all__ = ["ROUNDING", "count_outside", "share_outside"]

ROUNDING = 1e-4
"""What is so near to a limit may lie at it."""


def share_outside(series: Series, low: float, high: float) -> float:
    """A lower bound of the share of values outside a range in the first of the steps, from statistics alone.

    The excess of the values over a limit is at most the largest excess, times the share of those that have any. The sum of the excess
    below 0 is known exactly; that below a lower limit is smaller by at most the limit for each value. The excess above a limit is at least
    that of the mean, and of the mean square for a symmetric range.
    """
    smallest, largest = (float(value) for value in series.extrema[0])
    mean, magnitude, square = float(series.mean[0]), float(series.absolute_mean[0]), float(series.root_mean_square[0]) ** 2
    shares = [0.0]
    if -inf < low <= 0 and smallest < low - ROUNDING:
        shares.append(((magnitude - mean) / 2 + low) / (low - smallest))
    if largest > high + ROUNDING:
        shares.append((mean - high) / (largest - high))
    most = max(abs(smallest), abs(largest))
    if low > -inf and high < inf and most > max(-low, high) + ROUNDING:
        limit = max(-low, high)
        shares.append((square - limit**2) / (most**2 - limit**2))
    return min(max(shares), 1.0)


def count_outside(histogram: Histogram, low: float, high: float) -> int:
    """How many values lie outside a range around 0, at least: those in bins of which nothing lies in it. NaN and infinities do not count.

    Args:
        histogram: The histogram.
        low: At most 0; minus infinity for no limit.
        high: At least 0; infinity for no limit.
    """
    if low > 0 or high < 0:
        return 0
    below = 0 if low == -inf else _count_beyond(histogram.first_negative, histogram.negative, -low)
    return below + (0 if high == inf else _count_beyond(histogram.first_positive, histogram.positive, high))


def _count_beyond(first: int, counts: NDArray[np.int64], magnitude: float) -> int:
    """How many values are in bins that begin beyond a magnitude. The limit itself is within."""
    begins = BIN_EDGES[first - 1 + np.arange(len(counts))]
    return int(counts[begins > max(magnitude, ROUNDING)].sum())
