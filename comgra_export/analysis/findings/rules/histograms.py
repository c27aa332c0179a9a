"""Histograms of tensors in single steps."""

from __future__ import annotations

from comgra_export.analysis.history.run import Run, once_per_run
from comgra_export.analysis.history.series import FORWARD, TensorKey
from comgra_export.storage.arrays.histograms import Histogram, decode_histograms
from comgra_export.storage.arrays.layout_arrays import histogram_records

__all__ = ["histogram_at"]


def histogram_at(run: Run, position: int, key: TensorKey) -> Histogram | None:
    """The histogram of a tensor's values in a step; None if there is none, or no value was read for it."""
    step = run.steps[position]
    row = _row_of_histogram(run, step.layout, key)
    if row is None:
        return None
    recorded = run.recording.histograms(step.step)
    before = int(recorded.bins[:row, [1, 4]].sum())
    (histogram,) = decode_histograms(recorded.bins[row : row + 1], recorded.counts[before:])
    return histogram if histogram.looked_at else None


@once_per_run
def _row_of_histogram(run: Run, layout: str, key: TensorKey) -> int | None:
    """Which histogram of a step is that of a tensor's values; None if there is none."""
    for row, place in enumerate(histogram_records(run.recording.layout(layout))):
        if place.group == FORWARD and TensorKey(place.entry.name, place.entry.iteration) == key:
            return row
    return None
