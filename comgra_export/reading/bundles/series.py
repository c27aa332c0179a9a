"""What a bundle has over time: the statistics of records, and whether parameters changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from comgra_export.reading.bundles.chunks import ChunkReader
from comgra_export.reading.layout_numbers import LayoutColumns
from comgra_export.reading.source import LayoutNumbers
from comgra_export.storage import BATCH_AGGREGATIONS, Layout, RecordPlace
from comgra_export.storage.codec.checked import JsonObject

__all__ = ["SeriesReader"]

_COUNTS = 5
_EXTREMA = 2
_PARAMETER_NUMBERS = 3
_MOST_AGGREGATIONS = len(BATCH_AGGREGATIONS)
_FLOATS: dict[int, np.dtype[Any]] = {4: np.dtype("<f4"), 8: np.dtype("<f8")}
_INTEGERS: dict[int, np.dtype[Any]] = {4: np.dtype("<i4"), 8: np.dtype("<i8")}
_COLUMNS = ("group", "name", "iteration", "items", "aggregations", "steps", "width", "start", "counts_width", "counts_start")


class _Key(NamedTuple):
    group: str
    name: str
    iteration: int
    items: int
    aggregations: int
    width: int


class _Where(NamedTuple):
    steps: Sequence[float]
    start: int
    counts_width: int
    counts_start: int


class SeriesReader:
    """The series of a trial.

    Args:
        chunks: The chunks of the bundle.
        number: The chunk of the directory; -1: there is nothing over time.
    """

    def __init__(self, chunks: ChunkReader, number: int) -> None:
        self._chunks = chunks
        self._records: dict[_Key, _Where] = {}
        self._parameters: list[tuple[Sequence[float], int, int]] = []
        self._lanes = {4: -1, 8: -1}
        if number >= 0:
            chunks.document(number, self._read)

    def numbers(self, layout: Layout, steps: Sequence[float]) -> tuple[LayoutNumbers, NDArray[np.bool_]]:
        """The statistics of a layout in some steps, and `[T]`: which of them have any.

        Raises:
            DamagedRecordingError: The numbers cannot be read.
        """
        columns = LayoutColumns(layout)
        room = columns.room(steps)
        is_there = np.full(len(steps), not columns.places)
        items = 0
        for record, place in enumerate(columns.places):
            count = len(place.entry.items)
            where = self._records.get(_key_of(place))
            if where is not None:
                own = np.array(where.steps, np.float64)
                places = np.minimum(np.searchsorted(own, room.steps), max(len(own) - 1, 0))
                has = own[places] == room.steps if len(own) else np.zeros(len(steps), bool)
                floats, counts = self._arrays(_key_of(place), where)
                aggregations = floats[:-_EXTREMA].reshape(count, -1, len(own))[:, :, places[has]]
                room.statistics[has, items : items + count, : aggregations.shape[1]] = np.moveaxis(aggregations, 2, 0)
                room.extrema[has, record] = floats[-_EXTREMA:, places[has]].T
                room.counts[has, record] = counts[:, places[has]].T
                is_there |= has
            items += count
        return room, is_there

    def steps_with_updates(self) -> Iterator[float]:
        """The numbers of the steps in which a parameter changed."""
        for steps, width, start in self._parameters:
            numbers = self._chunks.elements(self._lanes[width], _FLOATS[width], start, _PARAMETER_NUMBERS * len(steps))
            updates = numbers.reshape(_PARAMETER_NUMBERS, -1)[1].astype(np.float64)
            yield from (step for step, update in zip(steps, updates.tolist(), strict=True) if update > 0)

    def _arrays(self, key: _Key, where: _Where) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        steps = len(where.steps)
        rows = key.items * key.aggregations + _EXTREMA
        floats = self._chunks.elements(self._lanes[key.width], _FLOATS[key.width], where.start, rows * steps)
        integers = _INTEGERS[where.counts_width]
        counts = self._chunks.elements(self._lanes[where.counts_width], integers, where.counts_start, _COUNTS * steps)
        # Numbers of any bits are allowed in a recording, signalling NaN among them.
        with np.errstate(invalid="ignore"):
            return floats.reshape(rows, steps).astype(np.float64), counts.reshape(_COUNTS, steps).astype(np.int64)

    def _read(self, content: object, file: str) -> None:
        directory = JsonObject(content, file)
        strings = directory.texts("strings")
        lists = [directory.as_steps(each, "step_lists") for each in directory.entries("step_lists")]
        if any(later <= earlier for steps in lists for earlier, later in pairwise(steps)):
            raise directory.wrong("step_lists", "holds steps that do not ascend")
        self._lanes = {width: directory.integer(f"lane{width}", -1) for width in (4, 8)}
        records = directory.member("records")
        table = [_column(records, name, len(strings), len(lists)) for name in _COLUMNS]
        for group, name, iteration, items, aggregations, steps, width, start, counts_width, counts_start in _rows(table, records):
            key = _Key(strings[group], strings[name], iteration, items, aggregations, width)
            self._records[key] = _Where(lists[steps], start, counts_width, counts_start)
        if directory.has("parameters"):
            parameters = directory.member("parameters")
            table = [_column(parameters, name, len(strings), len(lists)) for name in ("steps", "width", "start")]
            self._parameters = [(lists[steps], width, start) for steps, width, start in _rows(table, parameters)]


def _column(columns: JsonObject, name: str, strings: int, lists: int) -> list[int]:
    limits = {
        "group": (0, strings - 1),
        "name": (0, strings - 1),
        "iteration": (-1, 2**53 - 1),
        "items": (1, 5),
        "aggregations": (1, _MOST_AGGREGATIONS),
        "steps": (0, lists - 1),
        "width": (4, 8),
        "counts_width": (4, 8),
    }
    column = columns.integers(name, *limits.get(name, (0, 2**53 - 1)))
    if name.endswith("width") and not set(column) <= {4, 8}:
        raise columns.wrong(name, "holds something other than 4 and 8")
    return column


def _rows(table: Sequence[list[int]], columns: JsonObject) -> Iterator[tuple[int, ...]]:
    if len({len(column) for column in table}) > 1:
        raise columns.wrong("steps", "has another length than the other columns")
    return zip(*table, strict=True)


def _key_of(place: RecordPlace) -> _Key:
    entry = place.entry
    width = 8 if entry.precision == "F64" else 4
    aggregations = 1 if entry.batch_dimension is None else _MOST_AGGREGATIONS
    return _Key(place.group, entry.name, entry.iteration, len(entry.items), aggregations, width)
