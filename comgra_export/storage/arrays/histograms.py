"""Histograms in bins that are fixed for ever, so that those of any two steps, tensors or ranks can be put side by side and added up.

A bin is known by a number: 0 is that of zeros, a positive one holds positive values and a negative one negative values. Bin `m` holds
the values from `BIN_EDGES[m - 1]` on and below `BIN_EDGES[m]`; bin `-m` those with the same magnitudes. There are four bins to every power
of two, over the whole range of float32. What is larger is in the outermost bin, what is smaller and not zero in the innermost one. NaN
and infinities are in no bin.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from comgra_export.storage.text.json_codec import damaged

__all__ = [
    "BINS_PER_SIDE",
    "BIN_EDGES",
    "HISTOGRAM_COLUMNS",
    "NO_HISTOGRAM",
    "QUANTILES",
    "Histogram",
    "StepHistograms",
    "check_histogram_bins",
    "check_histogram_counts",
    "decode_histograms",
    "encode_histograms",
    "histogram_of",
    "histogram_of_row",
    "merge_histograms",
    "quantiles_from_bins",
]

BINS_PER_SIDE = 1020
"""How many bins there are for positive values, and as many for negative ones."""

# A bin has the bits of a float32 in common up to the second one behind the point.
_BITS_WITHIN_BIN = 21

BIN_EDGES: NDArray[np.float64] = (np.arange(BINS_PER_SIDE + 1, dtype=np.uint32) << _BITS_WITHIN_BIN).view(np.float32).astype(np.float64)
"""Magnitudes at which bins begin, and the end of the last one: 0, 2^-128, ..., 1, 1.25, 1.5, 1.75, 2, ..., infinity."""

HISTOGRAM_COLUMNS = 8
"""Numbers about a histogram besides its counts, see `encode_histograms`."""

QUANTILES = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
"""Which quantiles are kept."""

_EDGES: dict[np.dtype[Any], NDArray[np.floating]] = {np.dtype(np.float32): BIN_EDGES.astype(np.float32), np.dtype(np.float64): BIN_EDGES}
_NO_COUNTS: NDArray[np.int64] = np.zeros(0, np.int64)


class Histogram(NamedTuple):
    """How many values of a tensor are in each bin.

    Attributes:
        first_negative: Smallest magnitude of a bin with negative values; 0 if there are none.
        negative: int64, how many are in that bin, in the one of the next magnitude, ...
        first_positive: As `first_negative`.
        positive: As `negative`.
        looked_at: How many values were read, those in no bin included.
    """

    first_negative: int
    negative: NDArray[np.int64]
    zeros: int
    first_positive: int
    positive: NDArray[np.int64]
    negative_infinities: int
    positive_infinities: int
    looked_at: int

    @property
    def finite(self) -> int:
        """How many values are in bins."""
        return int(self.negative.sum()) + self.zeros + int(self.positive.sum())


def histogram_of_row(row: Sequence[int], counts: NDArray[np.int64]) -> Histogram:
    """A histogram from its row of bins, as `encode_histograms` describes it, and the counts of these bins."""
    first_negative, negatives, zeros, first_positive, positives, below, above, looked_at = row
    return Histogram(
        first_negative=first_negative,
        negative=counts[:negatives],
        zeros=zeros,
        first_positive=first_positive,
        positive=counts[negatives : negatives + positives],
        negative_infinities=below,
        positive_infinities=above,
        looked_at=looked_at,
    )


NO_HISTOGRAM = histogram_of_row([0] * HISTOGRAM_COLUMNS, _NO_COUNTS)
"""The histogram of an empty tensor, or of an absent gradient: no value was read."""


def histogram_of(values: NDArray[np.floating]) -> tuple[Histogram, NDArray[np.floating]]:
    """Counts values.

    Args:
        values: float32 or float64, any shape.

    Returns:
        The histogram, and the quantiles `[7]` with the dtype of the values: the value at place `floor(q * (n - 1))` of the `n` values that
        are not NaN, in ascending order, infinities included; NaN if there are none.
    """
    # NaN comes last.
    ordered = np.sort(values, axis=None)
    limits = np.array([-np.inf, 0, np.inf], ordered.dtype)
    _, zeros, infinities = np.searchsorted(ordered, limits, side="left").tolist()
    negatives, positives, numbers = np.searchsorted(ordered, limits, side="right").tolist()
    edges = _EDGES[ordered.dtype]
    first_negative, negative = _count(-ordered[negatives:zeros][::-1], edges)
    first_positive, positive = _count(ordered[positives:infinities], edges)
    histogram = Histogram(
        first_negative=first_negative,
        negative=negative,
        zeros=positives - zeros,
        first_positive=first_positive,
        positive=positive,
        negative_infinities=negatives,
        positive_infinities=numbers - infinities,
        looked_at=len(ordered),
    )
    if not numbers:
        return histogram, np.full(len(QUANTILES), np.nan, ordered.dtype)
    return histogram, ordered[[_place(quantile, numbers) for quantile in QUANTILES]]


def _place(quantile: float, count: int) -> int:
    return int(quantile * (count - 1))


def _count(ascending: NDArray[np.floating], edges: NDArray[np.floating]) -> tuple[int, NDArray[np.int64]]:
    """Counts positive finite values in ascending order: the first bin that has one, and how many each has up to the last such bin."""
    if not len(ascending):
        return 0, _NO_COUNTS
    first, last = np.searchsorted(edges, ascending[[0, -1]], side="right").tolist()
    return first, np.diff(np.searchsorted(ascending, edges[first - 1 : last + 1], side="left"))


class StepHistograms(NamedTuple):
    """The histograms of a step: of `H` records, in the order of the layout.

    Attributes:
        bins: int64 `[H, 8]`, as `encode_histograms` says.
        counts: int64, flat, as `encode_histograms` says too.
        quantiles: float64 `[H, 7]`.
    """

    bins: NDArray[np.int64]
    counts: NDArray[np.int64]
    quantiles: NDArray[np.float64]


def encode_histograms(histograms: Sequence[Histogram]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Puts histograms into arrays.

    Returns:
        int64 `[H, 8]`: magnitude of the first negative bin, number of negative bins, zeros, first positive bin, number of positive
        bins, negative infinities, positive infinities, values read. And int64, flat: for each histogram the counts of its
        negative bins, by ascending magnitude, and then of its positive ones.
    """
    rows = [
        (
            histogram.first_negative,
            len(histogram.negative),
            histogram.zeros,
            histogram.first_positive,
            len(histogram.positive),
            histogram.negative_infinities,
            histogram.positive_infinities,
            histogram.looked_at,
        )
        for histogram in histograms
    ]
    counts = [part for histogram in histograms for part in (histogram.negative, histogram.positive)]
    return np.array(rows, np.int64).reshape(-1, HISTOGRAM_COLUMNS), np.concatenate([_NO_COUNTS, *counts])


def decode_histograms(bins: NDArray[np.integer], counts: NDArray[np.integer]) -> list[Histogram]:
    """Takes histograms out of the arrays that `encode_histograms` has made, or that were checked."""
    histograms = []
    start = 0
    for row in bins.tolist():
        end = start + row[1] + row[4]
        histograms.append(histogram_of_row(row, counts[start:end].astype(np.int64)))
        start = end
    return histograms


def check_histogram_bins(bins: NDArray[np.int64], counts: int, file: str) -> None:
    """Checks the bins `[H, 8]` of histograms that have so many counts. They are not trusted.

    Raises:
        DamagedRecordingError: It names a bin that there is not, or there is not a count for each bin.
    """
    first, number = bins[:, [0, 3]], bins[:, [1, 4]]
    are_there = (bins >= 0).all() and (number <= BINS_PER_SIDE).all() and (first <= BINS_PER_SIDE).all()
    if not are_there or ((number > 0) & ((first < 1) | (first + number - 1 > BINS_PER_SIDE))).any():
        raise damaged(file, "its histograms have bins that do not exist")
    if int(number.sum()) != counts:
        raise damaged(file, "its histograms do not have a count for each of their bins")


def check_histogram_counts(bins: NDArray[np.int64], counts: NDArray[np.int64], file: str) -> None:
    """Checks the counts that belong to bins that have been checked.

    Raises:
        DamagedRecordingError: More values are counted than were read.
    """
    of_record = np.repeat(np.arange(len(bins)), bins[:, 1] + bins[:, 4])
    # In floating-point numbers, since sums of hostile integers overflow.
    counted = np.bincount(of_record, counts, len(bins)) + bins[:, [2, 5, 6]].astype(np.float64).sum(axis=1)
    if (counts < 0).any() or (counted > bins[:, 7]).any():
        raise damaged(file, "its histograms count more values than were read")


def merge_histograms(histograms: Sequence[Histogram]) -> Histogram:
    """Adds histograms up; one or more."""
    first_negative, negative = _add([(histogram.first_negative, histogram.negative) for histogram in histograms])
    first_positive, positive = _add([(histogram.first_positive, histogram.positive) for histogram in histograms])
    return Histogram(
        first_negative=first_negative,
        negative=negative,
        zeros=sum(histogram.zeros for histogram in histograms),
        first_positive=first_positive,
        positive=positive,
        negative_infinities=sum(histogram.negative_infinities for histogram in histograms),
        positive_infinities=sum(histogram.positive_infinities for histogram in histograms),
        looked_at=sum(histogram.looked_at for histogram in histograms),
    )


def _add(sides: Sequence[tuple[int, NDArray[np.int64]]]) -> tuple[int, NDArray[np.int64]]:
    there = [(first, counts) for first, counts in sides if len(counts)]
    if not there:
        return 0, _NO_COUNTS
    first = min(first for first, _ in there)
    total = np.zeros(max(start + len(counts) for start, counts in there) - first, np.int64)
    for start, counts in there:
        total[start - first : start - first + len(counts)] += counts
    return first, total


def quantiles_from_bins(histogram: Histogram, smallest: float, largest: float) -> NDArray[np.float64]:
    """Quantiles `[7]` to within a bin: each is in the same bin as the value that `histogram_of` would give.

    Args:
        histogram: Any.
        smallest: Smallest finite value; no quantile is below it. NaN if there is none.
        largest: Largest finite value; no quantile is above it. NaN if there is none.
    """
    magnitudes = (BIN_EDGES[:-1] + np.minimum(BIN_EDGES[1:], float(np.finfo(np.float32).max))) / 2
    negative = -magnitudes[histogram.first_negative - 1 :][: len(histogram.negative)][::-1]
    positive = magnitudes[histogram.first_positive - 1 :][: len(histogram.positive)]
    finite = np.concatenate([negative, [0.0], positive])
    if not np.isnan(smallest):
        finite = np.clip(finite, smallest, largest)
    values = np.concatenate([[-np.inf], finite, [np.inf]])
    zeros, low, high = ([count] for count in (histogram.zeros, histogram.negative_infinities, histogram.positive_infinities))
    ends = np.cumsum(np.concatenate([low, histogram.negative[::-1], zeros, histogram.positive, high]).astype(np.int64))
    if not ends[-1]:
        return np.full(len(QUANTILES), np.nan)
    places = [_place(quantile, int(ends[-1])) for quantile in QUANTILES]
    return np.asarray(values[np.searchsorted(ends, places, side="right")])
