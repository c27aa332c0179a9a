"""The histograms of a step over all ranks, from those of every rank."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from comgra_export.analysis.ranks.merge_plan import MergedRecord, MergePlan
from comgra_export.storage import Layout
from comgra_export.storage.arrays.histograms import (
    QUANTILES,
    Histogram,
    StepHistograms,
    decode_histograms,
    encode_histograms,
    merge_histograms,
    quantiles_from_bins,
)
from comgra_export.storage.arrays.layout_arrays import histogram_records

__all__ = ["merge_step_histograms"]

_Own = tuple[Histogram, NDArray[np.float64]]


def merge_step_histograms(
    plan: MergePlan, layouts: Sequence[Layout], of_ranks: Sequence[StepHistograms], extrema: Sequence[tuple[float, float]]
) -> StepHistograms:
    """Merges the histograms of a step: counts are added up, once for each part that several ranks hold.

    If only one rank contributes, or all ranks have the same histogram, its quantiles are taken. Otherwise they are computed from the bins
    and exact to within a bin. `extrema` has the smallest and the largest finite value of every record of the plan, over all ranks.
    """
    by_rank = [_by_record(layout, own) for layout, own in zip(layouts, of_ranks, strict=True)]
    merged = []
    for record, limits in zip(plan.records, extrema, strict=True):
        if record.target.entry.histogram:
            own = [of_rank[place.counts] for of_rank, place in zip(by_rank, record.places, strict=True)]
            merged.append(_merge(record, own, limits))
    bins, counts = encode_histograms([histogram for histogram, _ in merged])
    quantiles = np.array([own for _, own in merged], np.float64).reshape(-1, len(QUANTILES))
    return StepHistograms(bins, counts, quantiles)


def _by_record(layout: Layout, stored: StepHistograms) -> dict[int, _Own]:
    histograms = decode_histograms(stored.bins, stored.counts)
    places = histogram_records(layout)
    return {place.counts: own for place, *own in zip(places, histograms, stored.quantiles, strict=True)}  # type: ignore[misc]


def _merge(record: MergedRecord, own: Sequence[_Own], extrema: tuple[float, float]) -> _Own:
    held_first = [histogram for rank, (histogram, holder) in enumerate(zip(own, record.holders, strict=True)) if holder == rank]
    counted = own if record.rule == "replicas" and not all(_are_equal(histogram, own[0]) for histogram in own) else held_first
    if len(counted) == 1:
        return counted[0]
    histogram = merge_histograms([histogram for histogram, _ in counted])
    return histogram, quantiles_from_bins(histogram, *extrema)


def _are_equal(left: _Own, right: _Own) -> bool:
    (first, quantiles), (second, others) = left, right
    return np.array_equal(quantiles, others, equal_nan=True) and all(
        np.array_equal(mine, yours) for mine, yours in zip(encode_histograms([first]), encode_histograms([second]), strict=True)
    )
