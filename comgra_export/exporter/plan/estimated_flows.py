"""Gradient flows that are estimated from the gradients of a step while the bundle is made: where these are, and what comes of them.

Letters: `F` samples of the flow, `N` elements of a layer in one sample.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from comgra_export.analysis.gradient_flow import ESTIMATES
from comgra_export.storage import Blob, GradientFlow, PairNumbers, Recording, RecordPlace
from comgra_export.storage.arrays.layout_arrays import values_of_record

__all__ = ["EstimateReader", "EstimateSource", "FlowArrays"]

_Arrays = tuple[NDArray[np.float32] | None, ...]


@dataclass(frozen=True, eq=False)
class EstimateSource:
    """What an estimate is made of.

    Attributes:
        gradients: Per layer the record of its gradient.
        values: Per layer that of its values, or None.
        rows: Which of the samples that the step has recorded, counted from 0; `(0,)` where the layers have no batch dimension.
    """

    gradients: tuple[RecordPlace, ...]
    values: tuple[RecordPlace | None, ...]
    rows: tuple[int, ...]


class FlowArrays(NamedTuple):
    """The numbers of a gradient flow as `FlowNumbers` has them, but that `pairs` may be worked out one after another."""

    values: _Arrays
    gradients: _Arrays
    pairs: Iterable[PairNumbers]


class EstimateReader:
    """Estimates the flows of a recording. Keeps the arrays of one step."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._step: float = -1
        self._arrays: dict[str, Blob] = {}

    def read(self, step: float, flow: GradientFlow, source: EstimateSource) -> FlowArrays:
        """The numbers of an estimate.

        Raises:
            DamagedRecordingError: The numbers of the step cannot be read.
        """
        records = [place for place in (*source.gradients, *source.values) if place is not None]
        arrays = self._arrays_of(step, {f"values.{place.entry.stored}" for place in records})
        gradients = tuple(values_of_record(place, arrays, source.rows) for place in source.gradients)
        values = tuple(None if place is None else values_of_record(place, arrays, source.rows) for place in source.values)
        estimate = ESTIMATES[flow.method]
        return FlowArrays(values, gradients, (estimate(gradients[pair.source], gradients[pair.target]) for pair in flow.pairs))

    def _arrays_of(self, step: float, names: set[str]) -> Mapping[str, Blob]:
        if step != self._step:
            self._arrays, self._step = {}, step
        missing = names - self._arrays.keys()
        if missing:
            self._arrays.update(self._recording.blobs(step, missing))
        return self._arrays
