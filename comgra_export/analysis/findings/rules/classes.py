"""How often each class is among the targets of a loss, as far as histograms tell."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, inf
from typing import NamedTuple

from comgra_export.analysis.findings.rules.losses import LossUse
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, TensorKey
from comgra_export.storage.arrays.histograms import BIN_EDGES, decode_histograms
from comgra_export.storage.arrays.layout_arrays import histogram_records

__all__ = ["ClassRange", "class_counts"]


class ClassRange(NamedTuple):
    """Classes that share a bin of histograms. Up to 7, each class is a range of its own.

    Attributes:
        first: The first one.
        classes: How many there are.
    """

    first: int
    classes: int


def class_counts(run: Run, use: LossUse) -> Mapping[ClassRange, int] | None:
    """How many targets of a call are in each range of classes; None if that was not recorded, or they are no classes.

    Targets below 0 do not count: they stand for what the loss leaves out.
    """
    step = run.steps[use.position]
    for row, place in enumerate(histogram_records(run.recording.layout(step.layout))):
        key = TensorKey(place.entry.name, place.entry.iteration)
        if place.group != FORWARD or use.call.target is None or key != TensorKey(*use.call.target):
            continue
        if not place.entry.dtype.startswith(("I", "U")):
            return None
        recorded = run.recording.histograms(step.step)
        histogram = decode_histograms(recorded.bins, recorded.counts)[row]
        if histogram.looked_at == 0:
            return None
        counts = {ClassRange(0, 1): histogram.zeros}
        known = use.entry.shape[1] if len(use.entry.shape) > 1 else use.entry.shape[0]
        for offset, count in enumerate(histogram.positive.tolist()):
            low, high = BIN_EDGES[histogram.first_positive + offset - 1], BIN_EDGES[histogram.first_positive + offset]
            first, end = ceil(low), known if high == inf else min(ceil(high), known)
            if count:
                counts[ClassRange(first, max(end - first, 1))] = int(count)
        return counts
    return None
