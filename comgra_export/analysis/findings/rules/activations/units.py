"""What the recording knows of single units: channels of feature maps, and places in the last dimension of everything else."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import NamedTuple

import numpy as np

from comgra_export.analysis.history.run import Run, once_per_run
from comgra_export.analysis.history.series import FORWARD, Floats, RecordKey, TensorKey
from comgra_export.storage import BATCH_AGGREGATIONS, RecordPlace, TensorEntry

__all__ = ["UnitValues", "unit_count", "unit_values"]

# The aggregates of a tensor whose units are remembered for each step: larger ones would take much memory.
_MOST_REMEMBERED = 50_000


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
    if recorded is not None:
        return recorded
    place = run.places(position).get(RecordKey(FORWARD, key))
    if place is None or not _has_aggregated_units(place):
        return None
    if place.entry.aggregates_count > _MOST_REMEMBERED:
        return _units_from_aggregates(run, position, {key: place}).get(key)
    return _units_of_small_tensors(run, position).get(key)


@once_per_run
def _recorded_units(run: Run, position: int) -> dict[TensorKey, UnitValues]:
    units = run.recording.units(run.steps[position].step)
    return {TensorKey(*tensor): UnitValues(*rows.astype(np.float64)) for tensor, rows in units.items()}


@once_per_run
def _units_of_small_tensors(run: Run, position: int) -> dict[TensorKey, UnitValues]:
    places = {
        record.tensor: place
        for record, place in run.places(position).items()
        if record.group == FORWARD and _has_aggregated_units(place) and place.entry.aggregates_count <= _MOST_REMEMBERED
    }
    return _units_from_aggregates(run, position, places)


def _has_aggregated_units(place: RecordPlace) -> bool:
    """Whether all values of a tensor were recorded, so that its aggregates over the batch tell those of its units."""
    return place.entry.aggregates_count > 0 and _axis(place.entry) is not None


def _units_from_aggregates(run: Run, position: int, places: Mapping[TensorKey, RecordPlace]) -> dict[TensorKey, UnitValues]:
    """The units of some tensors of a step. To open its file takes longer than to read all of them."""
    precisions = {place.entry.precision for place in places.values()}
    names = {f"{array}.{precision}" for array in ("aggregates", "extrema") for precision in precisions}
    blobs = run.recording.blobs(run.steps[position].step, names)
    aggregates = {precision: blobs[f"aggregates.{precision}"].data.reshape(-1) for precision in precisions}
    extrema = {precision: blobs[f"extrema.{precision}"].data.reshape(-1, 2) for precision in precisions}
    units = {}
    for key, place in places.items():
        entry = place.entry
        numbers = aggregates[entry.precision][place.aggregates : place.aggregates + entry.aggregates_count]
        of_units = _by_unit(entry, numbers.astype(np.float64))
        if of_units.size:
            # The mean is the mean magnitude if nothing is negative.
            is_positive = bool(extrema[entry.precision][place.extrema, 0] >= 0)
            units[key] = UnitValues(of_units[1].max(axis=1, initial=0.0), of_units[0].mean(axis=1) if is_positive else None)
    return units


def _by_unit(entry: TensorEntry, numbers: Floats) -> Floats:
    """The aggregates over the batch of all elements of a tensor, as `[3, U, N]`: `N` elements of each of `U` units."""
    axis = _axis(entry)
    assert axis is not None
    assert entry.batch_dimension is not None
    sizes = [size for other, size in enumerate(entry.shape) if other != entry.batch_dimension]
    own_axis = axis - (entry.batch_dimension < axis)
    of_units = np.moveaxis(numbers.reshape(len(BATCH_AGGREGATIONS), *sizes), own_axis + 1, 1)
    return of_units.reshape(len(BATCH_AGGREGATIONS), sizes[own_axis], prod(sizes) // max(sizes[own_axis], 1))


def _axis(entry: TensorEntry) -> int | None:
    """The dimension of units: the recorded one, or else that of channels of feature maps, or else the last one."""
    if entry.unit_dimension is not None:
        return entry.unit_dimension
    dimensions = len(entry.shape)
    axis = 1 if dimensions in (4, 5) else dimensions - 1
    return axis if entry.batch_dimension is not None and axis > 0 and axis != entry.batch_dimension else None
