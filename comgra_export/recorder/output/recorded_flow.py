"""A gradient flow that was recorded, on its way into the recording."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from comgra_export.recorder.numbers.parts import FORWARD
from comgra_export.storage.arrays.layout_arrays import RecordPlace, iterate_records, values_of_record
from comgra_export.storage.model import Blob, FlowLayer, FlowNumbers, GradientFlow, Layout, PairNumbers

__all__ = ["RecordedFlow", "with_recorded_values"]


class RecordedFlow(NamedTuple):
    """A gradient flow and its numbers."""

    flow: GradientFlow
    numbers: FlowNumbers

    @property
    def size(self) -> int:
        """How many bytes its numbers take."""
        arrays = [*self.numbers.values, *self.numbers.gradients]
        for pair in self.numbers.pairs:
            arrays += [getattr(pair, field.name) for field in fields(PairNumbers)]
        return sum(array.nbytes for array in arrays if array is not None)


def with_recorded_values(recorded: RecordedFlow, layout: Layout, blobs: Mapping[str, Blob], samples: Sequence[int]) -> RecordedFlow:
    """Adds the values of layers whose tensors were gone or overwritten when the flow was recorded, where the step has recorded them.

    Args:
        recorded: The flow.
        layout: What the step holds.
        blobs: The arrays of the step by name.
        samples: The samples that it has recorded one by one.
    """
    flow, numbers = recorded
    if all(values is not None for values in numbers.values):
        return recorded
    records = {(place.entry.name, place.entry.iteration): place for place in iterate_records(layout) if place.group == FORWARD}
    places = [None if layer.record_name is None else records.get((layer.record_name, layer.record_iteration or 0)) for layer in flow.layers]
    values = tuple(
        _values_of(flow.samples, layer, place, blobs, samples) if known is None and place is not None else known
        for known, layer, place in zip(numbers.values, flow.layers, places, strict=True)
    )
    return RecordedFlow(flow, replace(numbers, values=values))


def _values_of(
    wanted: Sequence[int], layer: FlowLayer, place: RecordPlace, blobs: Mapping[str, Blob], samples: Sequence[int]
) -> NDArray[np.float32] | None:
    """The values of a layer as the step has recorded them, `[F, N]`; None where it has not."""
    entry = place.entry
    shape = tuple(size for axis, size in enumerate(entry.shape) if axis != entry.batch_dimension)
    has_batch = entry.batch_dimension is not None
    if entry.values_count == 0 or shape != layer.shape or has_batch != bool(wanted) or not set(wanted) <= set(samples):
        return None
    return values_of_record(place, blobs, [samples.index(sample) for sample in wanted] if has_batch else [0])
