"""Reads the statistics of single samples, step by step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, Integers, TensorKey
from comgra_export.errors import DamagedRecordingError
from comgra_export.storage import Blob, Recording, RecordPlace, StepDescription, iterate_records

__all__ = ["STATISTICS_OF_A_SAMPLE", "StepOfSamples", "read_steps"]

STATISTICS_OF_A_SAMPLE = ("mean", "abs_mean", "std", "abs_max")

_AGGREGATIONS = 3
_ARRAYS = frozenset({"statistics.F32", "statistics.F64"})


class StepOfSamples(NamedTuple):
    """A step with `S` samples that were recorded one by one.

    Attributes:
        step: Its description.
        samples: `S`. The step may have recorded more.
        places: The tensors with statistics of these samples.
        statistics: Per tensor those of `STATISTICS_OF_A_SAMPLE`, `[4, S]`.
    """

    step: StepDescription
    samples: int
    places: Mapping[TensorKey, RecordPlace]
    statistics: Mapping[TensorKey, NDArray[np.float32]]


class _Form(NamedTuple):
    """What follows from a layout: the tensors, and where the statistics of each are, `[4, S]`."""

    places: dict[TensorKey, RecordPlace]
    where: dict[TensorKey, Integers]


def read_steps(run: Run, recording: Recording, positions: Sequence[int], most: int) -> Iterator[StepOfSamples]:
    """Yields the steps at some positions, with the first samples of each, at most so many. Damaged steps are left out."""
    forms: dict[tuple[str, int, int], _Form] = {}
    for position in positions:
        step = run.steps[position]
        key = step.layout, step.batch_size, len(step.samples.index)
        try:
            if key not in forms:
                forms[key] = _form_of(recording, step, most)
            arrays = recording.blobs(step.step, _ARRAYS)
        except DamagedRecordingError:
            continue
        places, where = forms[key]
        statistics = {tensor: _gathered(arrays, place, where[tensor]) for tensor, place in places.items()}
        yield StepOfSamples(step, min(len(step.samples.index), most), places, statistics)


def _gathered(arrays: Mapping[str, Blob], place: RecordPlace, where: Integers) -> NDArray[np.float32]:
    with np.errstate(over="ignore", invalid="ignore"):
        return arrays[f"statistics.{place.entry.precision}"].data.reshape(-1)[where].astype(np.float32)


def _form_of(recording: Recording, step: StepDescription, most: int) -> _Form:
    """The tensors whose samples are those of the step: their first dimension is as long as the batch."""
    samples = len(step.samples.index)
    form = _Form({}, {})
    for place in iterate_records(recording.layout(step.layout)):
        entry = place.entry
        is_whole = entry.batch_dimension is not None and entry.shape[entry.batch_dimension] == step.batch_size
        if place.group == FORWARD and is_whole and entry.samples == samples and entry.items[0] == "mean":
            key = TensorKey(entry.name, entry.iteration)
            items = np.arange(len(STATISTICS_OF_A_SAMPLE))[:, None] * entry.aggregation_count
            form.places[key] = place
            form.where[key] = place.statistics + items + _AGGREGATIONS + np.arange(min(samples, most))
    return form
