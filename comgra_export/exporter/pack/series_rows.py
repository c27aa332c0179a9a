"""The numbers of a step that are kept over time, as a row; and rows of steps with the same records, one below the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from comgra_export.exporter.pack.lanes import FLOATS
from comgra_export.storage import BATCH_AGGREGATIONS, Blob, Layout, iterate_records

__all__ = ["COUNTS", "PARAMETER_NUMBERS", "PRECISIONS", "READ_ARRAYS", "Block", "ParameterBlock", "RecordKey", "Row"]

PRECISIONS = {8: "F64", 4: "F32"}
"""The dtypes of statistics by their width."""

READ_ARRAYS = frozenset(f"{name}.{precision}" for name in ("statistics", "extrema") for precision in PRECISIONS.values()) | {"counts"}
"""What is read of a step."""

COUNTS = 5
"""Integers per record and step."""

_EXTREMA = 2


class RecordKey(NamedTuple):
    """What makes a record of one step and a record of another one the same.

    Attributes:
        items: How many statistics it has.
        aggregations: How many aggregations of each are kept: those over the batch, or 1 without a batch dimension.
        width: Bytes of each of these numbers.
    """

    group: str
    name: str
    iteration: int
    items: int
    aggregations: int
    width: int

    @property
    def numbers(self) -> int:
        """How many numbers there are per step: statistics `[I, A]`, then the extrema."""
        return self.items * self.aggregations + _EXTREMA


class Row:
    """How the row of a step is made, given its layout.

    Attributes:
        keys: Its records, in order. Steps with equal keys have rows of equal form.
    """

    def __init__(self, layout: Layout) -> None:
        places = list(iterate_records(layout))
        entries = [place.entry for place in places]
        self.keys = tuple(
            RecordKey(place.group, entry.name, entry.iteration, len(entry.items), _kept(entry.aggregation_count), width)
            for place, entry in zip(places, entries, strict=True)
            for width, precision in PRECISIONS.items()
            if precision == entry.precision
        )
        self._taken: dict[int, NDArray[np.intp]] = {}
        for width, precision in PRECISIONS.items():
            own = [place for place in places if place.entry.precision == precision]
            statistics = sum(place.entry.statistics_count for place in own)
            taken = [
                position
                for place in own
                for position in (
                    *(
                        place.statistics + item * place.entry.aggregation_count + aggregation
                        for item in range(len(place.entry.items))
                        for aggregation in range(_kept(place.entry.aggregation_count))
                    ),
                    *(statistics + place.extrema * _EXTREMA + end for end in range(_EXTREMA)),
                )
            ]
            self._taken[width] = np.array(taken, np.intp)

    def numbers(self, arrays: Mapping[str, Blob], width: int) -> NDArray[np.generic]:
        """Those of the records with statistics of this width, from the arrays of a step; none without such records."""
        if not len(self._taken[width]):
            return np.zeros(0, FLOATS[width])
        precision = PRECISIONS[width]
        both = [arrays[f"{name}.{precision}"].data.reshape(-1) for name in ("statistics", "extrema")]
        return np.concatenate(both)[self._taken[width]]


def _kept(aggregations: int) -> int:
    return min(aggregations, len(BATCH_AGGREGATIONS))


class Block:
    """The rows of all steps with the same records.

    Attributes:
        steps: Numbers of the steps whose rows are there, ascending.
        largest_counts: The largest magnitude of the counts of each record so far.
    """

    def __init__(self, keys: tuple[RecordKey, ...]) -> None:
        self.keys = keys
        self.steps: list[float] = []
        self.largest_counts = np.zeros(len(keys), np.int64)
        self._columns = {width: sum(key.numbers for key in keys if key.width == width) for width in PRECISIONS}
        self._first: list[int] = []
        used = dict.fromkeys(PRECISIONS, 0)
        for key in keys:
            self._first.append(used[key.width])
            used[key.width] += key.numbers
        self._rows: dict[int, NDArray[np.generic]] = {}
        self._counts = np.zeros((0, 0, COUNTS), np.int64)

    def bytes(self, steps: int) -> int:
        """What `steps` rows take."""
        return steps * (len(self.keys) * COUNTS * 8 + sum(_whole(columns * width) for width, columns in self._columns.items()))

    def give_room(self, room: NDArray[np.uint8], steps: int) -> None:
        """Takes `bytes(steps)` bytes, at an address that is a multiple of 8."""
        end = steps * len(self.keys) * COUNTS * 8
        self._counts = room[:end].view(np.int64).reshape(steps, len(self.keys), COUNTS)
        for width, columns in self._columns.items():
            start, end = end, end + steps * _whole(columns * width)
            self._rows[width] = room[start:end].view(FLOATS[width]).reshape(steps, -1)[:, :columns]

    def append(self, step: float, row: Row, arrays: Mapping[str, Blob]) -> None:
        """Adds a step."""
        place = len(self.steps)
        counts = arrays["counts"].data.reshape(-1, COUNTS) if self.keys else self._counts[place]
        self._counts[place] = counts
        if self.keys:
            np.maximum(self.largest_counts, np.abs(self._counts[place]).max(axis=1), out=self.largest_counts)
        for width, rows in self._rows.items():
            rows[place] = row.numbers(arrays, width)
        self.steps.append(step)

    def numbers(self, record: int) -> NDArray[np.generic]:
        """The numbers of a record by its position: `[numbers, steps]`."""
        key, first = self.keys[record], self._first[record]
        columns: NDArray[np.generic] = self._rows[key.width][: len(self.steps), first : first + key.numbers].T
        return columns

    def counts(self, record: int) -> NDArray[np.int64]:
        """The counts of a record by its position: `[5, steps]`."""
        columns: NDArray[np.int64] = self._counts[: len(self.steps), record].T
        return columns


def _whole(size: int) -> int:
    """Rounds up to a multiple of the largest width, so that what comes behind is aligned."""
    return -(-size // 8) * 8


PARAMETER_NUMBERS = 3
"""Numbers per parameter and step: its norm, that of its update, and the difference of its accumulated gradient."""


class ParameterBlock:
    """The numbers of all steps that have them about the same parameters.

    Attributes:
        positions: The parameters, by their positions in the network.
        steps: Numbers of the steps whose numbers are there, ascending.
        is_single: Whether float32 holds all numbers so far exactly.
    """

    def __init__(self, positions: tuple[int, ...]) -> None:
        self.positions = positions
        self.steps: list[float] = []
        self.is_single = True
        self._rows = np.zeros((0, PARAMETER_NUMBERS, len(positions)))

    def bytes(self, steps: int) -> int:
        """What the numbers of `steps` steps take."""
        return steps * PARAMETER_NUMBERS * len(self.positions) * 8

    def give_room(self, room: NDArray[np.uint8], steps: int) -> None:
        """Takes `bytes(steps)` bytes, at an address that is a multiple of 8."""
        self._rows = room.view(np.float64).reshape(steps, PARAMETER_NUMBERS, -1)

    def append(self, step: float, arrays: Mapping[str, Blob]) -> None:
        """Adds a step, given its array `parameters.F32` or `parameters.F64`."""
        ((name, blob),) = arrays.items()
        self.is_single = self.is_single and name == "parameters.F32"
        self._rows[len(self.steps)] = blob.data.reshape(PARAMETER_NUMBERS, -1)
        self.steps.append(step)

    def numbers(self, place: int) -> NDArray[np.float64]:
        """The numbers about a parameter by its place in the block: `[3, steps]`."""
        columns: NDArray[np.float64] = self._rows[: len(self.steps), :, place].T
        return columns
