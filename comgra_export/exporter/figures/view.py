"""What a drawing function is given: what is selected, and the data. The words are those of scripts in the page."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from comgra_export.errors import MisuseError
from comgra_export.exporter.figures.trial_reader import TrialReader
from comgra_export.storage import BATCH_AGGREGATIONS, RecordPlace
from comgra_export.storage.arrays.safetensors import widened

__all__ = ["RecordedStep", "RecordedTensor", "View"]

_FORWARD = "forward"


class RecordedStep(NamedTuple):
    """A recorded step: its number, its type of execution, and how many samples its batch has."""

    step: float
    type: str
    batch_size: int


class RecordedTensor(NamedTuple):
    """A tensor of a step. `iteration` is -1 for parameters and initial values; `shape` is with the batch dimension, if there is one."""

    name: str
    iteration: int
    node: str
    role: str
    type: str
    shape: tuple[int, ...]
    batch_dimension: int | None
    dtype: str


class RecordedCurve(NamedTuple):
    """A curve: the points `(t, v)`, each a float64 array."""

    group: str
    name: str
    type: str
    t: NDArray[np.float64]
    v: NDArray[np.float64]


class View:
    """One selection, and what was recorded. Read-only.

    Attributes:
        trial: Name of the trial.
        rank: Its rank; None for all ranks together.
        step: Number of the step; None if the figure does not depend on it.
        step_type: Its type of execution; None if it depends on none.
        iteration: Number of the iteration; None if the figure does not depend on it.
        sample: Position in the batch of the sample; None if none is selected, or where the figure does not depend on it.
    """

    def __init__(self, reader: TrialReader, step: float | None = None, iteration: int | None = None, sample: int | None = None) -> None:
        self._reader = reader
        self.trial = reader.trial.source.name
        self.rank = reader.trial.source.rank
        self.step = step
        self.step_type = None if step is None else reader.step(step, "View").description.type_of_execution
        self.iteration = iteration
        self.sample = sample

    def __repr__(self) -> str:
        selected = {"trial": self.trial, "rank": self.rank, "step": self.step, "iteration": self.iteration, "sample": self.sample}
        return f"<View {', '.join(f'{name}={value!r}' for name, value in selected.items() if value is not None)}>"

    def steps(self) -> list[RecordedStep]:
        """The recorded steps of the trial, ascending, without those that the export leaves out."""
        described = (step.description for step in self._reader.trial.steps)
        return [RecordedStep(step.step, step.type_of_execution, step.batch_size) for step in described]

    def iterations(self, *, step: float | None = None) -> int:
        """How many iterations a step has."""
        return len(self._reader.step(self._chosen(step), "iterations()").description.structures)

    def samples(self, *, step: float | None = None) -> tuple[int, ...]:
        """Positions in the batch of the samples that a step has one by one."""
        return self._reader.step(self._chosen(step), "samples()").description.samples.index

    def tensors(self, *, step: float | None = None) -> list[RecordedTensor]:
        """The tensors of a step, in the order in which they were recorded."""
        entries = self._reader.tensors(self._reader.step(self._chosen(step), "tensors()"))
        return [RecordedTensor._make(getattr(entry, name) for name in RecordedTensor._fields) for entry in entries]

    def statistics(
        self,
        name: str,
        *,
        step: float | None = None,
        iteration: int | None = None,
        recording: str = _FORWARD,
        aggregation: str | None = None,
    ) -> dict[str, float]:
        """The statistics of a tensor, by name: `mean`, `abs_mean`, `std`, `abs_max`; `svd` for matrices; `single_value` for a loss.

        Args:
            name: The tensor.
            step: The step; without it the selected one.
            iteration: The iteration; without it the selected one. A parameter or initial value is found in any.
            recording: `forward`, or the name under which gradients were recorded.
            aggregation: `batch_mean`, `batch_abs_max`, `batch_std`, or `sample_3`; without it the selected sample, or else `batch_mean`.
                What has no batch dimension has one aggregation only.

        Raises:
            MisuseError: There is no such tensor, iteration, recording or aggregation; the message says which there are.
            DamagedRecordingError: The step cannot be read.
        """
        place, aggregations, chosen = self._find("statistics", name, step, iteration, recording, aggregation)
        entry = place.entry
        numbers = self._numbers(step, f"statistics.{entry.precision}", place.statistics, entry.statistics_count)
        table = numbers.reshape(len(entry.items), len(aggregations))
        return {item: float(row[chosen]) for item, row in zip(entry.items, table.astype(np.float64), strict=True)}

    def values(
        self,
        name: str,
        *,
        step: float | None = None,
        iteration: int | None = None,
        recording: str = _FORWARD,
        aggregation: str | None = None,
    ) -> NDArray[np.generic]:
        """The values of a tensor, in its own shape without the batch dimension.

        Arguments and errors are those of `statistics`.

        Returns:
            A new array: bfloat16 as float32, booleans as bool, aggregations over the batch as float32 or float64. Of length 0
            where only statistics were recorded.
        """
        place, _, chosen = self._find("values", name, step, iteration, recording, aggregation)
        entry = place.entry
        size = entry.values_per_sample
        batch = 0 if entry.batch_dimension is None else len(BATCH_AGGREGATIONS)
        if entry.kind != "neuron" or size == 0:
            return np.zeros(0, np.float32)
        shape = tuple(length for axis, length in enumerate(entry.shape) if axis != entry.batch_dimension)
        if chosen < batch:
            aggregates = np.array(self._numbers(step, f"aggregates.{entry.precision}", place.aggregates + chosen * size, size))
            return aggregates.reshape(shape)
        start = place.values + (chosen - batch) * size
        numbers = self._numbers(step, f"values.{entry.stored}", start, size)
        values = numbers.astype(np.bool_) if entry.stored == "BOOL" else widened(entry.stored, numbers).copy()
        return values.reshape(shape)

    def curves(self) -> list[RecordedCurve]:
        """The curves of the trial, in the order of their first points."""
        points: dict[tuple[str, str, str], list[tuple[float, float]]] = {}
        for point in self._reader.trial.source.recording.curve_points:
            points.setdefault((point.group, point.name, point.type), []).append((point.t, point.v))
        columns = {key: np.array(pairs, np.float64).T for key, pairs in points.items()}
        return [RecordedCurve(*key, t, v) for key, (t, v) in columns.items()]

    def _chosen(self, step: float | None) -> float | None:
        return self.step if step is None else step

    def _numbers(self, step: float | None, array: str, start: int, count: int) -> NDArray[np.generic]:
        return self._reader.numbers(self._reader.step(self._chosen(step), array), array, start, count)

    def _find(
        self, what: str, name: str, step: float | None, iteration: int | None, recording: str, aggregation: str | None
    ) -> tuple[RecordPlace, list[str], int]:
        """A record, the names of its aggregations, and which of them is meant."""
        call = f"{what}({name!r})"
        chosen_step = self._reader.step(self._chosen(step), call)
        place = self._reader.find(chosen_step, name, self.iteration if iteration is None else iteration, recording, call)
        aggregations = self._reader.aggregations(chosen_step, place.entry)
        if place.entry.batch_dimension is None:
            return place, aggregations, 0
        selected = BATCH_AGGREGATIONS[0] if self.sample is None else f"sample_{self.sample}"
        wanted = selected if aggregation is None else aggregation
        if wanted not in aggregations:
            raise MisuseError(f"{call}: there is no {wanted!r}. It has: {', '.join(aggregations)}.")
        return place, aggregations, aggregations.index(wanted)
