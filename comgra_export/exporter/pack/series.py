"""The statistics of a trial over time: the numbers of a record, or about a parameter, at all of its steps, one after another.

Steps hold the numbers of all records at one step. Here they are turned round, so that a curve costs what the curve costs. Only
statistics, extrema and counts are read; the rows of all steps are held, in memory or in a temporary file, and the columns of one record
after another are gathered from them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from comgra_export.analysis.ranks import MergedRecording
from comgra_export.errors import DamagedRecordingError
from comgra_export.exporter.format.constants import CHUNK_BYTES, NO_SERIES
from comgra_export.exporter.format.over_time import Series, SeriesParameters, SeriesRecords
from comgra_export.exporter.pack.lanes import FLOATS, INTEGERS, LARGEST_INT32, cut, little_endian_bytes
from comgra_export.exporter.pack.series_rows import (
    COUNTS,
    PARAMETER_NUMBERS,
    PRECISIONS,
    READ_ARRAYS,
    Block,
    ParameterBlock,
    RecordKey,
    Row,
)
from comgra_export.exporter.pack.spill import scratch
from comgra_export.exporter.pack.stream import ChunkStream
from comgra_export.exporter.plan.index import Interner, empty_columns
from comgra_export.exporter.plan.plan import PlannedTrial
from comgra_export.exporter.plan.reading import STEPS_PER_TASK, Reader, batches
from comgra_export.storage import Blob, Recording, dumps
from comgra_export.storage.text.steps import as_step

__all__ = ["add_series"]


_BlockType = TypeVar("_BlockType", Block, ParameterBlock)
_Key = TypeVar("_Key", bound=Hashable)


def add_series(stream: ChunkStream, planned: PlannedTrial, reader: Reader, done: Callable[[], None]) -> int:
    """Adds the lanes and the directory of a trial.

    A step whose numbers are damaged is left out. The problem is added when the step itself is packed. `done` is called after every step
    that has been read.

    Returns:
        The number of the directory's chunk; `NO_SERIES` where there are neither records nor numbers about parameters.
    """
    layouts = dict.fromkeys(step.description.layout for step in planned.steps)
    rows = {digest: Row(planned.source.recording.layout(digest)) for digest in layouts}
    blocks = {row.keys: Block(row.keys) for row in rows.values() if row.keys}
    steps = Counter(rows[step.description.layout].keys for step in planned.steps)
    parameters = {step.parameter_positions: ParameterBlock(step.parameter_positions) for step in planned.steps if step.parameters}
    of_parameters = Counter(step.parameter_positions for step in planned.steps)
    sized = [(block, steps[keys]) for keys, block in blocks.items()] + [(block, of_parameters[keys]) for keys, block in parameters.items()]
    with scratch(sum(block.bytes(count) for block, count in sized)) as room:
        start = 0
        for block, count in sized:
            end = start + block.bytes(count)
            block.give_room(room[start:end], count)
            start = end
        numbers = [step.description.step for step in planned.steps]
        read = reader.each(_statistics_of, ((planned.source, batch) for batch in batches(numbers, STEPS_PER_TASK)))
        for step, arrays in zip(planned.steps, read, strict=True):
            row = rows[step.description.layout]
            number = step.description.step
            done()
            if arrays is None:
                continue
            if row.keys:
                blocks[row.keys].append(number, row, arrays)
            if step.parameters:
                parameters[step.parameter_positions].append(number, step.parameters)
        records = [_Record(*own) for own in _members([block for block in blocks.values() if block.steps], lambda block: block.keys)]
        with_steps = [block for block in parameters.values() if block.steps]
        over_time = [_Parameter(*own) for own in _members(with_steps, lambda block: block.positions)]
        return _add(stream, records, sorted(over_time, key=lambda parameter: parameter.position))


def _statistics_of(recording: Recording | MergedRecording, number: float) -> dict[str, Blob] | None:
    """What is read of a step; None if it is damaged."""
    try:
        return recording.blobs(number, READ_ARRAYS)
    except DamagedRecordingError:
        return None


@dataclass(frozen=True)
class _Steps:
    """The steps of the records that are in the same blocks: their numbers, ascending, and which of them come from each block."""

    numbers: tuple[float, ...]
    places: tuple[NDArray[np.intp], ...]

    @classmethod
    def of(cls, blocks: Sequence[Block] | Sequence[ParameterBlock]) -> _Steps:
        """Puts the steps of several blocks into one order."""
        joined = np.concatenate([np.array(block.steps, np.float64) for block in blocks])
        order = np.argsort(joined, kind="stable")
        place = np.empty(len(order), np.intp)
        place[order] = np.arange(len(order))
        ends = np.cumsum([len(block.steps) for block in blocks])[:-1]
        return cls(tuple(map(as_step, joined[order].tolist())), tuple(np.split(place, ends)))

    def gather(self, parts: Sequence[NDArray[np.generic]]) -> NDArray[np.generic]:
        """Puts what the blocks have, `[rows, own steps]` each, into the order of all steps: `[rows, steps]`."""
        gathered = np.empty((len(parts[0]), len(self.numbers)), parts[0].dtype)
        for places, part in zip(self.places, parts, strict=True):
            gathered[:, places] = part
        return gathered


@dataclass(frozen=True)
class _Record:
    """A record over time: the blocks that have it, its position in each, and its steps."""

    key: RecordKey
    blocks: tuple[Block, ...]
    positions: tuple[int, ...]
    steps: _Steps

    @property
    def counts_width(self) -> int:
        largest = max(block.largest_counts[position] for block, position in zip(self.blocks, self.positions, strict=True))
        return 4 if largest <= LARGEST_INT32 else 8

    def numbers(self) -> NDArray[np.generic]:
        """`[numbers, steps]`."""
        return self.steps.gather([block.numbers(k) for block, k in zip(self.blocks, self.positions, strict=True)])

    def counts(self) -> NDArray[np.generic]:
        """`[5, steps]`."""
        counts = [block.counts(k) for block, k in zip(self.blocks, self.positions, strict=True)]
        return self.steps.gather(counts).astype(INTEGERS[self.counts_width])


@dataclass(frozen=True)
class _Parameter:
    """A parameter over time: its position in the network, its place in each of the blocks that have it, and its steps."""

    position: int
    blocks: tuple[ParameterBlock, ...]
    places: tuple[int, ...]
    steps: _Steps

    @property
    def width(self) -> int:
        return 4 if all(block.is_single for block in self.blocks) else 8

    def numbers(self) -> NDArray[np.generic]:
        """`[3, steps]`."""
        exact = self.steps.gather([block.numbers(k) for block, k in zip(self.blocks, self.places, strict=True)])
        return exact.astype(FLOATS[self.width])


def _members(
    blocks: Sequence[_BlockType], keys_of: Callable[[_BlockType], Sequence[_Key]]
) -> Iterator[tuple[_Key, tuple[_BlockType, ...], tuple[int, ...], _Steps]]:
    """For everything that blocks have numbers of: its key, the blocks that have it, its position in each, and its steps."""
    members: dict[_Key, list[tuple[int, int]]] = {}
    for number, block in enumerate(blocks):
        for position, key in enumerate(keys_of(block)):
            members.setdefault(key, []).append((number, position))
    known: dict[tuple[int, ...], _Steps] = {}
    for key, places in members.items():
        numbers = tuple(number for number, _ in places)
        own = tuple(blocks[number] for number in numbers)
        if numbers not in known:
            known[numbers] = _Steps.of(own)
        yield key, own, tuple(position for _, position in places), known[numbers]


def _add(stream: ChunkStream, records: Sequence[_Record], parameters: Sequence[_Parameter]) -> int:
    if not records and not parameters:
        return NO_SERIES
    lanes = {}
    for width in PRECISIONS:
        numbers = [stream.add_numbers(piece, width) for piece in cut(_lane(records, parameters, width), CHUNK_BYTES)]
        lanes[width] = numbers[0] if numbers else -1
    strings: Interner[str] = Interner()
    step_lists: Interner[tuple[float, ...]] = Interner()
    used = dict.fromkeys(PRECISIONS, 0)
    columns = _columns(records, strings, step_lists, used)
    of_parameters = _parameter_columns(parameters, step_lists, used)
    directory: Series = {
        "strings": strings.values,
        "step_lists": [list(steps) for steps in step_lists.values],
        "lane8": lanes[8],
        "lane4": lanes[4],
        "records": columns,
        "parameters": of_parameters,
    }
    return stream.add_json(dumps(directory))


def _lane(records: Sequence[_Record], parameters: Sequence[_Parameter], width: int) -> Iterator[NDArray[np.uint8]]:
    for record in records:
        if record.key.width == width:
            yield little_endian_bytes(record.numbers())
        if record.counts_width == width:
            yield little_endian_bytes(record.counts())
    for parameter in parameters:
        if parameter.width == width:
            yield little_endian_bytes(parameter.numbers())


def _take(used: dict[int, int], width: int, rows: int, steps: int) -> int:
    """Where `rows * steps` further elements of a lane begin."""
    used[width] += rows * steps
    return used[width] - rows * steps


def _columns(
    records: Sequence[_Record], strings: Interner[str], step_lists: Interner[tuple[float, ...]], used: dict[int, int]
) -> SeriesRecords:
    """The columns of the directory; the numbers begin where `_lane` puts them."""
    columns = empty_columns(SeriesRecords)
    for record in records:
        key, steps = record.key, record.steps.numbers
        columns["group"].append(strings.position(key.group))
        columns["name"].append(strings.position(key.name))
        columns["iteration"].append(key.iteration)
        columns["items"].append(key.items)
        columns["aggregations"].append(key.aggregations)
        columns["steps"].append(step_lists.position(steps))
        columns["width"].append(key.width)
        columns["start"].append(_take(used, key.width, key.numbers, len(steps)))
        columns["counts_width"].append(record.counts_width)
        columns["counts_start"].append(_take(used, record.counts_width, COUNTS, len(steps)))
    return columns


def _parameter_columns(parameters: Sequence[_Parameter], step_lists: Interner[tuple[float, ...]], used: dict[int, int]) -> SeriesParameters:
    return {
        "parameter": [parameter.position for parameter in parameters],
        "steps": [step_lists.position(parameter.steps.numbers) for parameter in parameters],
        "width": [parameter.width for parameter in parameters],
        "start": [_take(used, parameter.width, PARAMETER_NUMBERS, len(parameter.steps.numbers)) for parameter in parameters],
    }
