"""The histograms of a trial over time: those of a record at all of its steps of one type, one after another.

Steps hold the histograms of all records at one step. Here they are turned round, like the statistics, so that what is shown of a module
costs what its own tensors cost. They come in parts of fewer and fewer steps: where steps are added, most parts stay as they are, and a page
that has them need not load them again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from comgra_export.analysis.ranks import MergedRecording
from comgra_export.errors import DamagedRecordingError
from comgra_export.exporter.format.constants import HISTOGRAM_CHUNK_BYTES
from comgra_export.exporter.format.over_time import HistogramRecords, Histograms
from comgra_export.exporter.pack.lanes import FLOATS, INTEGERS, LARGEST_INT32, cut, little_endian_bytes
from comgra_export.exporter.pack.stream import ChunkStream
from comgra_export.exporter.plan.index import Interner, empty_columns
from comgra_export.exporter.plan.plan import PlannedStep, PlannedTrial
from comgra_export.exporter.plan.reading import STEPS_PER_TASK, Reader, batches
from comgra_export.exporter.reporting.problems import Problems
from comgra_export.storage import Blob, Recording, RecordPlace, StepDescription, dumps
from comgra_export.storage.arrays.histograms import HISTOGRAM_COLUMNS, StepHistograms
from comgra_export.storage.arrays.layout_arrays import histogram_records

__all__ = ["HISTOGRAM_INTEGERS", "add_histograms"]

_COUNTS = 5
HISTOGRAM_INTEGERS = HISTOGRAM_COLUMNS + _COUNTS + 1
"""Integers of a histogram besides those of its bins: what the recording has of it, the counts of the record, and how many values it has."""

_WIDTHS = {"F32": 4, "F64": 8}
_ARRAYS = ("counts", "extrema.F32", "extrema.F64")
_FEW_STEPS = 16
_MOST_STEPS = 256


class _Key(NamedTuple):
    """What makes records of several steps the same."""

    name: str
    iteration: int
    group: str
    type: str
    width: int


@dataclass
class _Record:
    """A record at the steps read so far: a row of each, and the counts of the bins."""

    steps: list[float] = field(default_factory=list)
    integers: list[NDArray[np.int64]] = field(default_factory=list)
    floats: list[NDArray[np.float64]] = field(default_factory=list)
    counts: list[NDArray[Any]] = field(default_factory=list)

    def joined(self, width: int) -> tuple[NDArray[np.generic], NDArray[np.generic]]:
        """Integers, `[14, steps]` and the counts behind them, and floats `[9, steps]`, in lanes as wide as they need."""
        integers = np.concatenate([np.stack(self.integers, axis=1).reshape(-1), *self.counts])
        fits = int(integers.max(initial=0)) <= LARGEST_INT32
        with np.errstate(invalid="ignore"):
            floats = np.stack(self.floats, axis=1).astype(FLOATS[width])
        return integers.astype(INTEGERS[4 if fits else 8]), floats


def add_histograms(stream: ChunkStream, planned: PlannedTrial, problems: Problems, reader: Reader, done: Callable[[], None]) -> list[int]:
    """Adds the lanes and the directories of a trial.

    A step whose numbers are damaged is left out. The problem is added when the step itself is packed. `problems` gets the steps whose
    histograms are damaged. `done` is called after every step that has been read.

    Returns:
        The numbers of the chunks with the directories, in the order of their steps; none if there are no histograms.
    """
    directories = []
    wanted = {step.description.step for step in planned.steps if step.has_histograms and _places(planned, step.description)}
    numbers = sorted(wanted)
    read = reader.each(_numbers_of, ((planned.source, batch) for batch in batches(numbers, STEPS_PER_TASK)))
    for part in _parts(planned.steps):
        records: dict[_Key, _Record] = {}
        for step in part:
            if step.description.step in wanted:
                own = next(read)
                if isinstance(own, str):
                    problems.left_out("histograms", planned.source.label, step.description.step, own)
                elif own is not None:
                    _add_step(planned, step.description, own, records)
            done()
        if records:
            directories.append(_add(stream, records))
    return directories


def _parts(steps: Sequence[PlannedStep]) -> Iterator[Sequence[PlannedStep]]:
    """Cuts steps into parts: each has the largest power of two that is left of them, up to 256, and the last one fewer than 16."""
    start = 0
    while start < len(steps):
        left = len(steps) - start
        size = left if left < _FEW_STEPS else min(_MOST_STEPS, 1 << (left.bit_length() - 1))
        yield steps[start : start + size]
        start += size


def _places(planned: PlannedTrial, step: StepDescription) -> list[RecordPlace]:
    """The places of the records of a step that have histograms. A tensor in no group has no record."""
    return histogram_records(planned.source.recording.layout(step.layout))


_Numbers = tuple[dict[str, Blob], StepHistograms]


def _numbers_of(recording: Recording | MergedRecording, number: float) -> _Numbers | str | None:
    """What is read of a step: None if it is damaged, a sentence if its histograms are."""
    try:
        arrays = recording.blobs(number, _ARRAYS)
    except DamagedRecordingError:
        return None
    try:
        return arrays, recording.histograms(number)
    except DamagedRecordingError as error:
        return str(error)


def _add_step(planned: PlannedTrial, step: StepDescription, numbers: _Numbers, records: dict[_Key, _Record]) -> None:
    arrays, histograms = numbers
    number = step.step
    places = _places(planned, step)
    integers, floats = _rows(places, histograms, arrays)
    ends = np.cumsum(histograms.bins[:, 1] + histograms.bins[:, 4])
    # The bins of a step may be many, and their counts are small.
    counts: NDArray[Any] = histograms.counts.astype(np.int32) if histograms.counts.max(initial=0) <= LARGEST_INT32 else histograms.counts
    for row, (place, own) in enumerate(zip(places, np.split(counts, ends[:-1]), strict=True)):
        entry = place.entry
        key = _Key(entry.name, entry.iteration, place.group, step.type_of_execution, _WIDTHS[entry.precision])
        record = records.setdefault(key, _Record())
        record.steps.append(number)
        record.integers.append(integers[row])
        record.floats.append(floats[row])
        record.counts.append(own)


def _rows(
    places: Sequence[RecordPlace], histograms: StepHistograms, arrays: dict[str, Blob]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """`[H, 14]` and `[H, 9]`."""
    counts = arrays["counts"].data.reshape(-1, _COUNTS)[[place.counts for place in places]].astype(np.int64)
    sizes = np.array([[prod(place.entry.shape)] for place in places], np.int64)
    extrema = [arrays[f"extrema.{place.entry.precision}"].data.reshape(-1, 2)[place.extrema] for place in places]
    # Some NaN are a reason for a warning.
    with np.errstate(invalid="ignore"):
        limits = np.array(extrema, np.float64)
    return np.concatenate([histograms.bins, counts, sizes], axis=1), np.concatenate([histograms.quantiles, limits], axis=1)


def _add(stream: ChunkStream, records: dict[_Key, _Record]) -> int:
    # What is shown together lies together: a tensor with its gradients.
    first = {(key.name, key.iteration): place for place, key in reversed(list(enumerate(records)))}
    ordered = sorted(records.items(), key=lambda item: first[item[0].name, item[0].iteration])
    strings: Interner[str] = Interner()
    step_lists: Interner[tuple[float, ...]] = Interner()
    columns = empty_columns(HistogramRecords)
    lanes: dict[int, list[NDArray[np.uint8]]] = {8: [], 4: []}
    used = dict.fromkeys(lanes, 0)

    def place(array: NDArray[np.generic]) -> tuple[int, int]:
        width = array.dtype.itemsize
        lanes[width].append(little_endian_bytes(array))
        used[width] += array.size
        return width, used[width] - array.size

    for key, record in ordered:
        integers, floats = record.joined(key.width)
        columns["group"].append(strings.position(key.group))
        columns["name"].append(strings.position(key.name))
        columns["iteration"].append(key.iteration)
        columns["type"].append(strings.position(key.type))
        columns["steps"].append(step_lists.position(tuple(record.steps)))
        for array, width_of, start_of in ((floats, "width", "start"), (integers, "integers_width", "integers_start")):
            width, start = place(array)
            columns[width_of].append(width)  # type: ignore[literal-required]
            columns[start_of].append(start)  # type: ignore[literal-required]
        columns["counts"].append(integers.size - HISTOGRAM_INTEGERS * len(record.steps))
    directory: Histograms = {
        "strings": strings.values,
        "step_lists": [list(steps) for steps in step_lists.values],
        "lane8": _add_lane(stream, lanes[8], 8),
        "lane4": _add_lane(stream, lanes[4], 4),
        "records": columns,
    }
    return stream.add_json(dumps(directory))


def _add_lane(stream: ChunkStream, lane: list[NDArray[np.uint8]], width: int) -> int:
    numbers = [stream.add_numbers(piece, width) for piece in cut(_released(lane), HISTOGRAM_CHUNK_BYTES)]
    return numbers[0] if numbers else -1


def _released(lane: list[NDArray[np.uint8]]) -> Iterator[NDArray[np.uint8]]:
    """The arrays of a lane, which lets go of each."""
    lane.reverse()
    while lane:
        yield lane.pop()
