"""One trial, read once, for rules and other analyses."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from comgra_export.analysis.history.graph import StepGraph, graph_of
from comgra_export.analysis.history.parameters import ParameterHistory, parameter_histories
from comgra_export.analysis.history.records import STATISTICS, RecordColumns
from comgra_export.analysis.history.series import FORWARD, Floats, RecordKey, Series, TensorKey
from comgra_export.analysis.ranks import MergedRecording, merge_ranks
from comgra_export.errors import DamagedRecordingError
from comgra_export.storage import (
    Network,
    Recording,
    RecordPlace,
    StepDescription,
    TensorEntry,
    TensorType,
    find_recordings,
    iterate_records,
    open_recording,
)
from comgra_export.storage.text.steps import step_in_words
from comgra_export.storage.trials import Trial, trials_of

__all__ = ["Curve", "Run", "find_trials", "iterate_runs", "once_per_run", "open_trials", "read_run", "read_runs", "together", "trains"]

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


@dataclass(frozen=True)
class Curve:
    """A curve that the script recorded: its points `(t, value)`, by ascending `t`."""

    group: str
    name: str
    type: str
    t: Floats
    values: Floats


class Run:
    """One trial: its steps, its tensors over them, its graph and its curves.

    Statistics of all steps are read when the run is made; values of samples only when they are asked for. Steps that cannot be read are
    left out, and `problems` names them.

    Attributes:
        recording: What it was read from.
        name: `GROUP/TRIAL`.
        network: Its modules, parameters and optimizers.
        steps: The descriptions of its steps, by ascending number. A *position* is an index into them.
        numbers: `[S]`: the numbers of the steps.
        records: The statistics of all tensors over the steps.
        problems: A sentence for all that could not be read.
        memory: What `once_per_run` has computed.
    """

    def __init__(self, recording: Recording | MergedRecording, on_step: Callable[[], None] | None = None) -> None:
        """Reads the steps.

        Args:
            recording: One rank of a trial, or all of them merged.
            on_step: Called after each step, for progress.
        """
        self.recording = recording
        self.name = f"{recording.header.group}/{recording.header.trial}"
        self.network: Network = recording.network
        self.records = RecordColumns(len(recording.steps))
        steps: list[StepDescription] = []
        problems: list[str] = []
        for number in recording.steps:
            try:
                step = recording.step(number)
                arrays = recording.blobs(number, STATISTICS)
                self.records.add(number, step.layout, recording.layout(step.layout), arrays)
                steps.append(step)
            except DamagedRecordingError as error:
                problems.append(f"{step_in_words(number).capitalize()} is damaged. {error}")
            if on_step is not None:
                on_step()
        self.steps = tuple(steps)
        self.numbers = np.array([step.step for step in steps], np.float64)
        self.problems = tuple(dict.fromkeys([*problems, *recording.problems]))
        self._graphs: dict[tuple[str, ...], StepGraph] = {}
        self._places: dict[str, Mapping[RecordKey, RecordPlace]] = {}
        self.memory: dict[Hashable, Any] = {}

    def __repr__(self) -> str:
        return f"<Run {self.name}: {len(self.steps)} steps>"

    @property
    def ranks(self) -> tuple[int, ...]:
        """The numbers of the ranks that it was read from."""
        return self.recording.ranks if isinstance(self.recording, MergedRecording) else (self.recording.header.rank,)

    @cached_property
    def is_training(self) -> NDArray[np.bool_]:
        """`[S]`: which steps trained: a backward pass ran, or a parameter changed."""
        return np.array([trains(step) for step in self.steps], bool)

    @cached_property
    def is_triggered(self) -> NDArray[np.bool_]:
        """`[S]`: which steps were recorded because something was unusual. They are a biased sample."""
        return np.array([step.triggered is not None for step in self.steps], bool)

    @cached_property
    def gradient_groups(self) -> tuple[str, ...]:
        """The groups of gradients, in the order in which they were first recorded."""
        return tuple(dict.fromkeys(key.group for key in self.records.keys if key.group != FORWARD))

    @cached_property
    def tensors(self) -> Mapping[TensorKey, TensorEntry]:
        """All tensors whose values were recorded, in the order in which they were first seen.

        Each is as the last training step that has it describes it, or as the last step does if none trained. In evaluations, operations
        have other names, and batches other sizes.
        """
        entries = {}
        for key in self.records.keys:
            series = self.records.series(key) if key.group == FORWARD else None
            if series is not None:
                trained = series.positions[self.is_training[series.positions]]
                is_last = not len(trained) or trained[-1] == series.positions[-1]
                entries[key.tensor] = series.entry if is_last else self.places(int(trained[-1]))[key].entry
        return entries

    @cached_property
    def parameters(self) -> Mapping[str, ParameterHistory]:
        """What the steps did to each parameter, by name."""
        return parameter_histories(self.network.parameters, self.steps)

    @cached_property
    def optimized(self) -> frozenset[str] | None:
        """The names of all parameters that an optimizer holds; None if no optimizer is known."""
        if self.network.optimizers is None:
            return None
        groups = (group for optimizer in self.network.optimizers for group in optimizer.groups)
        return frozenset(self.network.parameters[position].name for group in groups for position in group.parameters)

    @cached_property
    def curves(self) -> tuple[Curve, ...]:
        """The curves that the script recorded, in the order of their first points."""
        points: dict[tuple[str, str, str], list[tuple[float, float]]] = {}
        for point in self.recording.curve_points:
            # Those of the recorder's own say nothing that its steps do not say.
            if not point.is_own:
                points.setdefault((point.group, point.name, point.type), []).append((point.t, point.v))
        return tuple(Curve(*key, *np.array(rows, np.float64).T) for key, rows in points.items())

    def of_type(self, *types: TensorType) -> dict[TensorKey, TensorEntry]:
        """The tensors of some types."""
        return {key: entry for key, entry in self.tensors.items() if entry.type in types}

    def values(self, tensor: TensorKey) -> Series | None:
        """The statistics of a tensor's values over all steps that hold it; None if there are none."""
        return self.records.series(RecordKey(FORWARD, tensor))

    def gradients(self, tensor: TensorKey, group: str | None = None) -> Series | None:
        """The statistics of a tensor's gradient.

        Args:
            tensor: Which tensor.
            group: Which group of gradients; None for the first that has it.

        Returns:
            None if there are none. Steps where the gradient was absent are in it.
        """
        for name in self.gradient_groups if group is None else (group,):
            series = self.records.series(RecordKey(name, tensor))
            if series is not None:
                return series
        return None

    def places(self, position: int) -> Mapping[RecordKey, RecordPlace]:
        """Where the numbers of each record are in the arrays of a step."""
        digest = self.steps[position].layout
        if digest not in self._places:
            self._places[digest] = {
                RecordKey(place.group, TensorKey(place.entry.name, place.entry.iteration)): place
                for place in iterate_records(self.recording.layout(digest))
            }
        return self._places[digest]

    def graph(self, position: int) -> StepGraph:
        """What was computed from what in a step, over all of its iterations. Empty if that is not known."""
        digests = tuple(digest for digest in self.steps[position].structures if digest is not None)
        if digests not in self._graphs:
            try:
                self._graphs[digests] = graph_of([self.recording.structure(digest) for digest in digests])
            except DamagedRecordingError as error:
                self._graphs[digests] = StepGraph()
                self.problems = (*self.problems, str(error))
        return self._graphs[digests]


def once_per_run(
    function: Callable[Concatenate[Run, _Arguments], _Result],
) -> Callable[Concatenate[Run, _Arguments], _Result]:
    """Makes a function of a run remember its results as long as the run lives. Its other arguments can be hashed, and come by position."""

    @wraps(function)
    def remembered(run: Run, /, *arguments: _Arguments.args, **named: _Arguments.kwargs) -> _Result:
        key = (function, arguments)
        if key not in run.memory:
            run.memory[key] = function(run, *arguments, **named)
        result: _Result = run.memory[key]
        return result

    return remembered


def trains(step: StepDescription) -> bool:
    """Whether a step trained: a backward pass ran, or a parameter changed."""
    if step.backward_roots or any(gradients.backward_passes for gradients in step.gradients):
        return True
    known = step.parameters
    return known is not None and any(update > 0 for update in known.update_norm)


def read_runs(path: str | os.PathLike[str]) -> list[Run]:
    """Reads all trials at or below a path. The ranks of a trial are merged.

    Args:
        path: The root given to the recorder, or a group, trial or rank folder in it.

    Raises:
        NotARecordingError: There is no recording.
        RecordingError: One of them cannot be opened.
    """
    return list(iterate_runs(open_trials(path)))


def iterate_runs(opened: Sequence[Recording | MergedRecording], on_step: Callable[[int, int], None] | None = None) -> Iterator[Run]:
    """Reads trials one after the other.

    Args:
        opened: The trials.
        on_step: Called after each step, with how many steps of all trials are read and how many there are.
    """
    total = sum(len(each.steps) for each in opened)
    steps_read = 0

    def count() -> None:
        nonlocal steps_read
        steps_read += 1
        if on_step is not None:
            on_step(steps_read, total)

    for each in opened:
        yield Run(each, count)


def open_trials(path: str | os.PathLike[str]) -> list[Recording | MergedRecording]:
    """Opens the trials at or below a path, the ranks of each merged. Raises what `read_runs` raises."""
    return [together(trial.values()) for trial in find_trials(path)]


def find_trials(path: str | os.PathLike[str]) -> list[Trial]:
    """Opens the ranks of the trials at or below a path. Raises what `read_runs` raises."""
    return trials_of(map(open_recording, find_recordings(path)))


def together(recordings: Iterable[Recording]) -> Recording | MergedRecording:
    """The ranks of one trial as one recording."""
    ranks = list(recordings)
    return ranks[0] if len(ranks) == 1 else merge_ranks(ranks)


def read_run(recordings: list[Recording]) -> Run:
    """Reads the ranks of one trial."""
    return Run(together(recordings))
