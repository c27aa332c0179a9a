"""What the recording knows of single units: channels of feature maps, and places in the last dimension of everything else."""

from __future__ import annotations

from math import prod
from typing import NamedTuple

import numpy as np

from comgra_export.analysis.history.run import Run, once_per_run
from comgra_export.analysis.history.series import FORWARD, Floats, RecordKey, TensorKey
from comgra_export.storage import BATCH_AGGREGATIONS, TensorEntry

__all__ = ["UnitValues", "unit_count", "unit_values"]


class UnitValues(NamedTuple):
    """The units of a tensor in one step, over samples and positions.

    Attributes:
        largest_magnitude: `[U]`.
        mean_magnitude: `[U]`. None if it is not known.
    """

    largest_magnitude: Floats
    mean_magnitude: Floats | None


def unit_count(entry: TensorEntry) -> int:
    """How many units a tensor with a batch dimension has. 0 if it has no dimension of units."""
    axis = _axis(entry)
    return 0 if axis is None else entry.shape[axis]


def unit_values(run: Run, key: TensorKey, position: int) -> UnitValues | None:
    """Reads the units of a tensor in a recorded step; None if nothing was recorded of them."""
    recorded = _recorded_units(run, position).get(key)
    return _from_aggregates(run, key, position) if recorded is None else recorded


@once_per_run
def _recorded_units(run: Run, position: int) -> dict[TensorKey, UnitValues]:
    units = run.recording.units(run.steps[position].step)
    return {TensorKey(*tensor): UnitValues(*rows.astype(np.float64)) for tensor, rows in units.items()}


def _from_aggregates(run: Run, key: TensorKey, position: int) -> UnitValues | None:
    """The units of a tensor all of whose values were recorded."""
    step = run.steps[position]
    place = run.places(position).get(RecordKey(FORWARD, key))
    axis = None if place is None else _axis(place.entry)
    if place is None or axis is None or not place.entry.aggregates_count:
        return None
    entry = place.entry
    name = f"aggregates.{entry.precision}"
    flat = run.recording.blobs(step.step, {name})[name].data.reshape(-1)
    numbers = flat[place.aggregates : place.aggregates + entry.aggregates_count].astype(np.float64)
    sizes = [size for other, size in enumerate(entry.shape) if other != entry.batch_dimension]
    own_axis = axis - (entry.batch_dimension is not None and entry.batch_dimension < axis)
    of_units = np.moveaxis(numbers.reshape(len(BATCH_AGGREGATIONS), *sizes), own_axis + 1, 1)
    of_units = of_units.reshape(len(BATCH_AGGREGATIONS), sizes[own_axis], prod(sizes) // max(sizes[own_axis], 1))
    if not of_units.size:
        return None
    extrema = run.recording.blobs(step.step, {f"extrema.{entry.precision}"})[f"extrema.{entry.precision}"].data.reshape(-1, 2)
    # The mean is the mean magnitude if nothing is negative.
    is_positive = bool(extrema[place.extrema, 0] >= 0)
    return UnitValues(of_units[1].max(axis=1, initial=0.0), of_units[0].mean(axis=1) if is_positive else None)


def _axis(entry: TensorEntry) -> int | None:
    """The dimension of units: the recorded one, or else that of channels of feature maps, or else the last one."""
    if entry.unit_dimension is not None:
        return entry.unit_dimension
    dimensions = len(entry.shape)
    axis = 1 if dimensions in (4, 5) else dimensions - 1
    return axis if entry.batch_dimension is not None and axis > 0 and axis != entry.batch_dimension else None
