"""How large the values of every tensor are, over all steps: this says which two-byte type can hold them."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from comgra_export.errors import DamagedRecordingError
from comgra_export.exporter.plan.plan import Plan
from comgra_export.exporter.plan.rounding import Magnitudes
from comgra_export.exporter.reporting.progress import Progress, Report
from comgra_export.storage import Layout, iterate_records

__all__ = ["AllMagnitudes", "read_magnitudes"]

AllMagnitudes = list[list[Magnitudes]]
"""For every recorded layout of a plan, those of its tensors."""


def read_magnitudes(plan: Plan, report: Report) -> AllMagnitudes:
    """Reads how large the values of every tensor are, over all steps, from their extrema. Those of a damaged step are skipped."""
    places = [_LayoutMagnitudes(layout) for layout in plan.recorded_layouts]
    total = sum(len(trial.steps) for trial in plan.trials)
    done = 0
    for trial in plan.trials:
        for step in trial.steps:
            report(Progress("Choosing", done, total))
            done += 1
            try:
                arrays = trial.source.recording.blobs(step.description.step, ("extrema.F32", "extrema.F64"))
            except DamagedRecordingError:
                continue
            for name, blob in arrays.items():
                places[step.layout].add(name, blob.data)
    return [of_layout.magnitudes() for of_layout in places]


class _LayoutMagnitudes:
    """The magnitudes of the tensors of a layout, as far as they have been read."""

    def __init__(self, layout: Layout) -> None:
        self._tensors: defaultdict[str, list[int]] = defaultdict(list)
        for place in iterate_records(layout):
            self._tensors[f"extrema.{place.entry.precision}"].append(place.tensor)
        self._largest = np.zeros(len(layout.tensors))
        self._smallest_largest = np.full(len(layout.tensors), np.inf)

    def add(self, name: str, extrema: NDArray[np.generic]) -> None:
        tensors = self._tensors[name]
        largest = np.nan_to_num(np.abs(extrema.astype(np.float64)), nan=0.0).max(axis=1)
        np.maximum.at(self._largest, tensors, largest)
        np.minimum.at(self._smallest_largest, tensors, np.where(largest > 0, largest, np.inf))

    def magnitudes(self) -> list[Magnitudes]:
        return [Magnitudes(*pair) for pair in zip(self._largest.tolist(), self._smallest_largest.tolist(), strict=True)]
