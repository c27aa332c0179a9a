"""Histograms of recorded values, as other libraries draw them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from comgra_export.reading.source import StepHistogram
from comgra_export.storage.arrays.histograms import BIN_EDGES, QUANTILES, histogram_of_row

__all__ = ["Histogram", "histogram_with_edges"]


@dataclass(frozen=True, eq=False)
class Histogram:
    """How many of the sampled values of a tensor are in each bin: `matplotlib.pyplot.stairs(histogram.counts, histogram.edges)`.

    Attributes:
        edges: float64 `[bins + 1]`, ascending. The bin that holds zero reaches from the bins of negative values to those of positive
            ones, and nothing but exact zeros is in it.
        counts: int64 `[bins]`.
        nan: How many of all values are NaN. They are in no bin.
        posinf: How many of the sampled values are infinite.
        neginf: How many of the sampled values are minus infinity.
        sampled: How many values were sampled, NaN and infinities included.
        quantiles: The quantiles at 0.01, 0.05, 0.25, 0.5, 0.75, 0.95 and 0.99, by these numbers. NaN if there is no value.
    """

    edges: NDArray[np.float64]
    counts: NDArray[np.int64]
    nan: int
    posinf: int
    neginf: int
    sampled: int
    quantiles: dict[float, float]


def histogram_with_edges(stored: StepHistogram, nan: int) -> Histogram:
    """Puts the bins of a histogram side by side. `nan`: how many of all values are NaN."""
    own = histogram_of_row(stored.row.tolist(), stored.counts)
    # A bin of the magnitude m lies between the edges m - 1 and m.
    negative = -BIN_EDGES[own.first_negative - 1 :][: len(own.negative) + 1][::-1] if len(own.negative) else np.zeros(1)
    positive = BIN_EDGES[own.first_positive - 1 :][: len(own.positive) + 1] if len(own.positive) else np.zeros(1)
    return Histogram(
        edges=np.concatenate([negative, positive]) + 0.0,
        counts=np.concatenate([own.negative[::-1], [own.zeros], own.positive]).astype(np.int64),
        nan=nan,
        posinf=own.positive_infinities,
        neginf=own.negative_infinities,
        sampled=own.looked_at,
        quantiles=dict(zip(QUANTILES, stored.quantiles.tolist(), strict=True)),
    )
