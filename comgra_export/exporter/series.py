"""The statistics of a trial over time: the numbers of a record at all of its steps, one after another.

Steps hold the numbers of all records at one step. Here they are turned round, so that a curve costs what the curve costs. Only
statistics, extrema and counts are read; the rows of all steps are held, in memory or in a temporary file, and the columns of one record
after another are gathered from them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from comgra_export.errors import DamagedRecordingError
from comgra_export.exporter.format import CHUNK_BYTES, NO_SERIES, Series, SeriesRecords
from comgra_export.exporter.index import Interner
from comgra_export.exporter.lanes import cut, little_endian_bytes
from comgra_export.exporter.plan import PlannedTrial
from comgra_export.exporter.scratch import scratch
from comgra_export.exporter.series_rows import COUNTS, PRECISIONS, READ_ARRAYS, Block, RecordKey, Row
from comgra_export.exporter.stream import ChunkStream
from comgra_export.storage import dumps

__all__ = ["add_series"]

_LARGEST_INT32 = 2**31 - 1
_INTEGERS = {4: np.int32, 8: np.int64}


def add_series(stream: ChunkStream, planned: PlannedTrial, done: Callable[[], None]) -> int:
    """Adds the lanes and the directory of a trial.

    A step whose numbers are damaged is left out; that is said where the step itself is packed.

    Args:
        stream: Where the chunks go.
        planned: The trial.
        done: Called after every step that has been read.

    Returns:
        The number of the directory's chunk; `NO_SERIES` where there are no records.
    """
    rows = {digest: Row(planned.source.recording.layout(digest)) for digest in _layouts(planned)}
    blocks = {row.keys: Block(row.keys) for row in rows.values() if row.keys}
    steps = Counter(rows[step.description.layout].keys for step in planned.steps)
    sizes = {keys: block.bytes(steps[keys]) for keys, block in blocks.items()}
    with scratch(sum(sizes.values())) as room:
        start = 0
        for keys, block in blocks.items():
            block.give_room(room[start : start + sizes[keys]], steps[keys])
            start += sizes[keys]
        for step in planned.steps:
            row = rows[step.description.layout]
            number = step.description.step
            try:
                arrays = planned.source.recording.blobs(number, READ_ARRAYS)
            except DamagedRecordingError:
                continue
            finally:
                done()
            if row.keys:
                blocks[row.keys].append(number, row, arrays)
        return _add(stream, [block for block in blocks.values() if block.steps])


def _layouts(planned: PlannedTrial) -> dict[str, None]:
    """The layouts of the steps, in the order of their first use."""
    return dict.fromkeys(step.description.layout for step in planned.steps)


@dataclass(frozen=True)
class _Steps:
    """The steps of the records that are in the same blocks: their numbers, ascending, and which of them come from each block."""

    numbers: tuple[int, ...]
    places: tuple[NDArray[np.intp], ...]

    @classmethod
    def of(cls, blocks: Sequence[Block]) -> _Steps:
        """Puts the steps of several blocks into one order."""
        joined = np.concatenate([np.array(block.steps, np.int64) for block in blocks])
        order = np.argsort(joined, kind="stable")
        place = np.empty(len(order), np.intp)
        place[order] = np.arange(len(order))
        ends = np.cumsum([len(block.steps) for block in blocks])[:-1]
        return cls(tuple(joined[order].tolist()), tuple(np.split(place, ends)))


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
        return 4 if largest <= _LARGEST_INT32 else 8

    def numbers(self) -> NDArray[np.generic]:
        """`[numbers, steps]`."""
        return self._gathered(self.key.numbers, [block.numbers(k) for block, k in zip(self.blocks, self.positions, strict=True)])

    def counts(self) -> NDArray[np.generic]:
        """`[5, steps]`."""
        counts = [block.counts(k) for block, k in zip(self.blocks, self.positions, strict=True)]
        return self._gathered(COUNTS, counts).astype(_INTEGERS[self.counts_width])

    def _gathered(self, rows: int, parts: Sequence[NDArray[np.generic]]) -> NDArray[np.generic]:
        gathered = np.empty((rows, len(self.steps.numbers)), parts[0].dtype)
        for places, part in zip(self.steps.places, parts, strict=True):
            gathered[:, places] = part
        return gathered


def _records(blocks: Sequence[Block]) -> list[_Record]:
    members: dict[RecordKey, list[tuple[int, int]]] = {}
    for number, block in enumerate(blocks):
        for position, key in enumerate(block.keys):
            members.setdefault(key, []).append((number, position))
    known: dict[tuple[int, ...], _Steps] = {}
    records = []
    for key, places in members.items():
        numbers = tuple(number for number, _ in places)
        own = tuple(blocks[number] for number in numbers)
        if numbers not in known:
            known[numbers] = _Steps.of(own)
        records.append(_Record(key, own, tuple(position for _, position in places), known[numbers]))
    return records


def _add(stream: ChunkStream, blocks: Sequence[Block]) -> int:
    records = _records(blocks)
    if not records:
        return NO_SERIES
    lanes = {}
    for width in PRECISIONS:
        numbers = [stream.add_numbers(piece, width) for piece in cut(_lane(records, width), CHUNK_BYTES)]
        lanes[width] = numbers[0] if numbers else -1
    strings: Interner[str] = Interner()
    step_lists: Interner[tuple[int, ...]] = Interner()
    columns = _columns(records, strings, step_lists)
    directory: Series = {
        "strings": strings.values,
        "step_lists": [list(steps) for steps in step_lists.values],
        "lane8": lanes[8],
        "lane4": lanes[4],
        "records": columns,
    }
    return stream.add_json(dumps(directory))


def _lane(records: Sequence[_Record], width: int) -> Iterator[NDArray[np.uint8]]:
    for record in records:
        if record.key.width == width:
            yield little_endian_bytes(record.numbers())
        if record.counts_width == width:
            yield little_endian_bytes(record.counts())


def _columns(records: Sequence[_Record], strings: Interner[str], step_lists: Interner[tuple[int, ...]]) -> SeriesRecords:
    """The columns of the directory; the numbers begin where `_lane` puts them."""
    used = dict.fromkeys(PRECISIONS, 0)

    def take(width: int, rows: int, steps: int) -> int:
        used[width] += rows * steps
        return used[width] - rows * steps

    columns: SeriesRecords = {
        "group": [],
        "name": [],
        "iteration": [],
        "items": [],
        "aggregations": [],
        "steps": [],
        "width": [],
        "start": [],
        "counts_width": [],
        "counts_start": [],
    }
    for record in records:
        key, steps = record.key, record.steps.numbers
        columns["group"].append(strings.position(key.group))
        columns["name"].append(strings.position(key.name))
        columns["iteration"].append(key.iteration)
        columns["items"].append(key.items)
        columns["aggregations"].append(key.aggregations)
        columns["steps"].append(step_lists.position(steps))
        columns["width"].append(key.width)
        columns["start"].append(take(key.width, key.numbers, len(steps)))
        columns["counts_width"].append(record.counts_width)
        columns["counts_start"].append(take(record.counts_width, COUNTS, len(steps)))
    return columns
