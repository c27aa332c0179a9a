"""What is in a recording, counted: for `comgra-export inspect` and for benchmarks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache

from comgra_export.errors import DamagedRecordingError
from comgra_export.storage import Layout, MissingStep, Recording, StepDescription

__all__ = ["RecordingSummary", "summarize"]


@dataclass(frozen=True)
class RecordingSummary:
    """Counts over one recording (one rank of one trial).

    Attributes:
        trial: The name of the trial.
        rank: The rank that wrote it.
        steps_by_type: Number of readable recorded steps per type of execution, by name of the type.
        numbers: Numbers of the readable recorded steps, ascending.
        groups: Recording types (`forward` and the loss groups), in order of first occurrence.
        tensors: Distinct names of recorded tensors, parameters included.
        parameters: Distinct names among them that are parameters.
        values: Floating-point numbers kept: statistics, aggregates over the batch, and values of samples.
        bytes: Size of all files of the recording.
        curves: Distinct curves.
        notes: Number of notes.
        gaps: Things that could not be recorded, in steps and outside them.
        sessions: How many processes wrote it, one after another.
        is_closed: Whether the last of them ended the recording; otherwise it is still being written, or was killed.
        missing_steps: Steps that were finished but are not in the recording.
        left_behind: Number of steps that a resumed run took up again from an earlier one; they are not counted as steps.
        triggered: Number of steps that were recorded for what they showed, not because the schedule asked for them.
        problems: What could not be read, in sentences.
    """

    trial: str
    rank: int
    steps_by_type: dict[str, int]
    numbers: tuple[float, ...]
    groups: tuple[str, ...]
    tensors: int
    parameters: int
    values: int
    bytes: int
    curves: int
    notes: int
    gaps: int
    sessions: int
    is_closed: bool
    missing_steps: tuple[MissingStep, ...]
    left_behind: int
    triggered: int
    problems: tuple[str, ...]

    @property
    def steps(self) -> int:
        """Number of readable recorded steps."""
        return sum(self.steps_by_type.values())

    @property
    def bytes_per_value(self) -> float | None:
        """All bytes of the recording over all numbers in it; None if there is no number."""
        return self.bytes / self.values if self.values else None


def values_in_layout(layout: Layout) -> int:
    """Return how many numbers a step of this layout holds: statistics, aggregates and values of all records."""
    per_tensor = [entry.statistics_count + entry.aggregates_count + entry.values_count for entry in layout.tensors]
    return sum(per_tensor[position] for group in layout.groups for position in group.tensors)


def summarize(recording: Recording) -> RecordingSummary:
    """Count what is in a recording. Steps that cannot be read are left out and named in `problems`.

    Args:
        recording: An open recording. Everything in it is read and checked, apart from the numbers themselves.
    """
    values_of = cache(lambda layout: values_in_layout(recording.layout(layout)))
    layouts: dict[str, None] = {}
    types: Counter[str] = Counter()
    readable: list[StepDescription] = []
    values = 0
    for number in recording.steps:
        if not recording.check_step(number):
            continue
        description = recording.step(number)
        values += values_of(description.layout)
        readable.append(description)
        layouts[description.layout] = None
        types[description.type_of_execution] += 1
    entries = {entry.name: entry for layout in layouts for entry in recording.layout(layout).tensors}
    groups = {group.name: None for layout in layouts for group in recording.layout(layout).groups}
    curves = {(point.group, point.name, point.type) for point in recording.curve_points}
    gaps = len(recording.gaps) + sum(len(description.gaps) for description in readable)
    notes = len(recording.notes)
    damaged_graphs = _damaged(recording.structure, (digest for description in readable for digest in description.structures))
    damaged_calls = _damaged(recording.calls, (digest for description in readable for digest in description.calls))
    # Reading these adds what is wrong with them to `recording.problems`.
    _ = recording.network, recording.config, recording.sentinel_points
    return RecordingSummary(
        trial=recording.header.trial,
        rank=recording.header.rank,
        steps_by_type=dict(sorted(types.items())),
        numbers=tuple(description.step for description in readable),
        groups=tuple(groups),
        tensors=len(entries),
        parameters=sum(entry.type == "parameter" for entry in entries.values()),
        values=values,
        bytes=recording.bytes_on_disk(),
        curves=len(curves),
        notes=notes,
        gaps=gaps,
        sessions=recording.sessions,
        is_closed=recording.is_closed,
        missing_steps=recording.missing_steps,
        left_behind=len(recording.left_behind),
        triggered=sum(description.triggered is not None for description in readable),
        problems=(*recording.problems, *damaged_graphs, *damaged_calls),
    )


def _damaged(read: Callable[[str], object], digests: Iterable[str | None]) -> list[str]:
    """Reads each of some graphs or trees of calls, given by their hashes, and returns what is wrong with those that are damaged."""
    problems = []
    for digest in dict.fromkeys(digests):
        try:
            if digest is not None:
                read(digest)
        except DamagedRecordingError as error:
            problems.append(str(error))
    return problems
