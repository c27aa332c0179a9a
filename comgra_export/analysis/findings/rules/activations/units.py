"""What the recording knows of single units: channels of feature maps, and places in the last dimension of everything else."""

from __future__ import annotations

from math import prod
from typing import NamedTuple

import numpy as np

from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import Floats, RecordKey
from comgra_export.storage import BATCH_AGGREGATIONS, TensorEntry, iterate_records

__all__ = ["UnitValues", "unit_count", "unit_values"]


class UnitValues(NamedTuple):
    """The units of a tensor in one step, over samples and positions.

    Attributes:
        largest_magnitude: `[U]`.
        mean: `[U]`.
    """

    largest_magnitude: Floats
    mean: Floats


def unit_count(entry: TensorEntry) -> int:
    """`U`: how many units a tensor with a batch dimension has. 0 if it has no dimension of units."""
    axis = _axis(entry)
    return 0 if axis is None else entry.shape[axis]


def unit_values(run: Run, record: RecordKey, position: int) -> UnitValues | None:
    """Reads the units of a record in a recorded step; None if nothing was recorded of them."""
    step = run.steps[position]
    for place in iterate_records(run.recording.layout(step.layout)):
        entry = place.entry
        axis = _axis(entry)
        if place.group != record.group or (entry.name, entry.iteration) != record.tensor:
            continue
        if axis is None or not entry.aggregates_count:
            return None
        name = f"aggregates.{entry.precision}"
        flat = run.recording.blobs(step.step, {name})[name].data.reshape(-1)
        numbers = flat[place.aggregates : place.aggregates + entry.aggregates_count].astype(np.float64)
        sizes = [size for other, size in enumerate(entry.shape) if other != entry.batch_dimension]
        own_axis = axis - (entry.batch_dimension is not None and entry.batch_dimension < axis)
        of_units = np.moveaxis(numbers.reshape(len(BATCH_AGGREGATIONS), *sizes), own_axis + 1, 1)
        of_units = of_units.reshape(len(BATCH_AGGREGATIONS), sizes[own_axis], prod(sizes) // max(sizes[own_axis], 1))
        return UnitValues(of_units[1].max(axis=1, initial=0.0), of_units[0].mean(axis=1)) if of_units.size else None
    return None


def _axis(entry: TensorEntry) -> int | None:
    """The dimension of units: that of channels of feature maps, else the last one."""
    dimensions = len(entry.shape)
    axis = 1 if dimensions in (4, 5) else dimensions - 1
    return axis if entry.batch_dimension is not None and axis > 0 and axis != entry.batch_dimension else None
