"""How often each class is among the targets of a loss, as far as histograms tell."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, inf
from typing import NamedTuple

from comgra_export.analysis.findings.rules.histograms import histogram_at
from comgra_export.analysis.findings.rules.losses import LossUse, entries_of
from comgra_export.analysis.history.run import Run, once_per_run
from comgra_export.analysis.history.series import TensorKey
from comgra_export.storage.arrays.histograms import BIN_EDGES

__all__ = ["OWN_RANGES", "ClassRange", "class_counts"]


OWN_RANGES = 8
"""Up to here, each class is a range of its own."""


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

    Targets below 0 do not count, and neither do those of `ignore_index`: they stand for what the loss leaves out.
    """
    if use.call.target is None:
        return None
    known = use.entry.shape[1] if len(use.entry.shape) > 1 else use.entry.shape[0]
    counts = _counts(run, use.position, TensorKey(*use.call.target), known)
    ignored = use.call.options.get("ignore_index")
    if counts is None or not isinstance(ignored, (int, float)) or ignored < 0:
        return counts
    # Beyond the first classes, several share a range, and nobody knows how many of them are left out.
    is_alone = any(each.first == ignored and each.classes == 1 for each in counts) or ignored < OWN_RANGES
    return {each: count for each, count in counts.items() if each != ClassRange(int(ignored), 1)} if is_alone else None


@once_per_run
def _counts(run: Run, position: int, target: TensorKey, known: int) -> Mapping[ClassRange, int] | None:
    """The same for the targets of a step, if there are `known` classes."""
    entry = entries_of(run, position).get(target)
    histogram = histogram_at(run, position, target) if entry is not None and entry.dtype.startswith(("I", "U")) else None
    if histogram is None:
        return None
    counts = {ClassRange(0, 1): histogram.zeros}
    for offset, count in enumerate(histogram.positive.tolist()):
        low, high = BIN_EDGES[histogram.first_positive + offset - 1], BIN_EDGES[histogram.first_positive + offset]
        first, end = ceil(low), known if high == inf else min(ceil(high), known)
        if count:
            counts[ClassRange(first, max(end - first, 1))] = int(count)
    return counts
