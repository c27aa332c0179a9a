"""Which recorded samples of a tensor hold values that are not finite, and where in them; also in words."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import RecordKey
from comgra_export.storage import BATCH_AGGREGATIONS, TensorEntry
from comgra_export.storage.arrays.layout_arrays import values_of_record

__all__ = ["NonFiniteSamples", "describe_samples", "non_finite_samples"]


class NonFiniteSamples(NamedTuple):
    """What is not finite among the samples recorded one by one.

    Attributes:
        samples: Positions in the batch. Empty without a batch dimension, or if the samples that were recorded are finite.
        element: The index of the first value that is not finite, without the batch dimension; None if values were not recorded.
        has_values: Whether single values of the samples were recorded, and not only their statistics.
    """

    samples: tuple[int, ...] = ()
    element: tuple[int, ...] | None = None
    has_values: bool = False


def non_finite_samples(run: Run, key: RecordKey, position: int) -> NonFiniteSamples:
    """Reads the samples of a record in a recorded step."""
    step = run.steps[position]
    place = run.places(position).get(key)
    if place is None:
        return NonFiniteSamples()
    entry = place.entry
    names = {f"statistics.{entry.precision}", f"values.{entry.stored}"}
    arrays = run.recording.blobs(step.step, names)
    samples: list[int] = []
    if entry.batch_dimension is not None and entry.samples:
        flat = arrays[f"statistics.{entry.precision}"].data.reshape(-1)
        numbers = flat[place.statistics : place.statistics + entry.statistics_count].reshape(len(entry.items), -1)
        samples = np.flatnonzero(~np.isfinite(numbers[:, len(BATCH_AGGREGATIONS) :].astype(np.float64)).all(axis=0)).tolist()
    element = None
    if entry.values_count and (samples or entry.batch_dimension is None):
        values = values_of_record(place, arrays, samples[:1] or [0])[0]
        element = _index(entry, int(np.argmax(~np.isfinite(values)))) if not np.isfinite(values).all() else None
    return NonFiniteSamples(tuple(step.samples.index[sample] for sample in samples), element, entry.values_count > 0)


def describe_samples(run: Run, key: RecordKey, position: int | None) -> str:
    """Which samples of a record to look at, as sentences that begin with a space. Empty if the step was not recorded, or no such sample."""
    if position is None:
        return ""
    of_step = run.steps[position]
    not_finite = non_finite_samples(run, key, position)
    if not not_finite.samples:
        return ""
    ids = dict(zip(of_step.samples.index, of_step.samples.id or (), strict=False))
    names = [f"{sample} (`{ids[sample]}`)" if sample in ids else str(sample) for sample in not_finite.samples]
    is_one = len(names) == 1
    listed = f"sample {names[0]}" if is_one else f"samples {', '.join(names[:-1])} and {names[-1]}"
    if not not_finite.has_values:
        return f" The statistics of {listed} are recorded. `watch(..., values=True)` keeps single values, too."
    begin = "The" if is_one else f"In sample {names[0]}, the"
    element = f" {begin} first such value is at element {list(not_finite.element)}." if not_finite.element else ""
    which, it = ("is", "it") if is_one else ("are", "them")
    return f" {listed[0].upper()}{listed[1:]} {which} recorded; you can open {it} in the page.{element}"


def _index(entry: TensorEntry, flat: int) -> tuple[int, ...]:
    sizes = [size for axis, size in enumerate(entry.shape) if axis != entry.batch_dimension]
    return tuple(int(place) for place in np.unravel_index(flat, sizes)) if sizes else ()
