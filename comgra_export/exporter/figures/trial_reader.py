"""The numbers of one trial, by name, read when they are asked for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from comgra_export.errors import MisuseError
from comgra_export.exporter.plan.plan import PlannedStep, PlannedTrial
from comgra_export.storage import BATCH_AGGREGATIONS, NO_BATCH_AGGREGATION, Layout, RecordPlace, TensorEntry, iterate_records
from comgra_export.storage.text.steps import step_in_words

__all__ = ["TrialReader"]


@dataclass(frozen=True)
class _Records:
    """The records of a layout, by recording, tensor and iteration."""

    layout: Layout
    places: dict[tuple[str, str, int], RecordPlace]


class TrialReader:
    """Reads a trial as it was recorded, whatever the bundle leaves out of its values. Keeps the arrays of one step."""

    def __init__(self, trial: PlannedTrial) -> None:
        self.trial = trial
        self._steps = {step.description.step: step for step in trial.steps}
        self._records: dict[str, _Records] = {}
        self._kept_step: float = -1
        self._kept: dict[str, NDArray[np.generic]] = {}

    def step(self, number: float | None, call: str) -> PlannedStep:
        """A step.

        Raises:
            MisuseError: None was given, or it is not in the bundle.
        """
        if number is None:
            raise MisuseError(f"{call}: which step? This figure does not depend on the step, so say it: step=...")
        if number not in self._steps:
            raise MisuseError(f"{call}: there is no step {number}. view.steps() lists the steps.")
        return self._steps[number]

    def tensors(self, step: PlannedStep) -> tuple[TensorEntry, ...]:
        """The tensors of a step."""
        return self._records_of(step).layout.tensors

    def find(self, step: PlannedStep, name: str, iteration: int | None, recording: str, call: str) -> RecordPlace:
        """The record of a tensor in an iteration, or else of the parameter or initial value of that name.

        Raises:
            MisuseError: There is none.
        """
        records = self._records_of(step)
        places = (records.places.get((recording, name, number)) for number in (iteration, -1) if number is not None)
        record = next((place for place in places if place is not None), None)
        if record is not None:
            return record
        iterations = sorted({entry.iteration for entry in records.layout.tensors if entry.name == name})
        if iterations and iteration is None:
            raise MisuseError(f"{call}: which iteration? {name!r} has {', '.join(map(str, iterations))}. Say it: iteration=...")
        names = ", ".join(dict.fromkeys(entry.name for entry in records.layout.tensors))
        groups = ", ".join(group.name for group in records.layout.groups)
        raise MisuseError(
            f"{call}: {step_in_words(step.description.step)} has no tensor {name!r} in iteration {iteration} of {recording!r}. "
            f"It has: {names}. Recordings: {groups}."
        )

    def aggregations(self, step: PlannedStep, entry: TensorEntry) -> list[str]:
        """The names of the aggregations of a tensor, in order."""
        if entry.batch_dimension is None:
            return [NO_BATCH_AGGREGATION]
        return [*BATCH_AGGREGATIONS, *(f"sample_{index}" for index in step.description.samples.index[: entry.samples])]

    def numbers(self, step: PlannedStep, name: str, start: int, count: int) -> NDArray[np.generic]:
        """Elements of an array of a step.

        Raises:
            DamagedRecordingError: It cannot be read.
        """
        number = step.description.step
        if number != self._kept_step:
            self._kept, self._kept_step = {}, number
        if name not in self._kept:
            self._kept[name] = self.trial.source.recording.blobs(number, {name})[name].data.reshape(-1)
        return self._kept[name][start : start + count]

    def _records_of(self, step: PlannedStep) -> _Records:
        digest = step.description.layout
        if digest not in self._records:
            layout = self.trial.source.recording.layout(digest)
            places = {(place.group, place.entry.name, place.entry.iteration): place for place in iterate_records(layout)}
            self._records[digest] = _Records(layout, places)
        return self._records[digest]
