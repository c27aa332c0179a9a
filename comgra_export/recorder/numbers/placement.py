"""Puts the numbers of a step where the recording format wants them."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from comgra_export.recorder.host.dtypes import as_array
from comgra_export.recorder.numbers.histogram_values import histogram_arrays, histogram_of_stored
from comgra_export.recorder.numbers.parts import FORWARD, HISTOGRAM, UNITS, Place, RecordKey, columns_of_records
from comgra_export.storage.arrays.counts import COUNTS_PER_RECORD
from comgra_export.storage.arrays.histograms import Histogram
from comgra_export.storage.arrays.layout_arrays import EXTREMA_PER_RECORD, RecordPlace, expected_arrays, histogram_records, record_columns
from comgra_export.storage.arrays.safetensors import ARRAY_DTYPES
from comgra_export.storage.arrays.unit_arrays import UNITS_ARRAY, encode_units, expected_units, tensors_with_units
from comgra_export.storage.model.layout import FLAG_GRADIENT_ABSENT, UNIT_STATISTICS, Blob, Layout, TensorEntry

__all__ = [
    "KnownLayouts",
    "LayoutRecords",
    "arrange",
]

_Arrays = Mapping[str, NDArray[np.generic]]

# Rows from this length on are cheaper copied one by one than by the positions of their elements.
_LONG_ROW = 64


def arrange(
    records: LayoutRecords, places: Sequence[Place], absent: Collection[RecordKey], arrived: Sequence[Tensor]
) -> list[tuple[str, Blob]]:
    """Arranges the numbers of a step into the arrays of its blob. A record without numbers stays zero.

    `arrived` has the numbers of each place, in order, on the CPU; further tensors are ignored. `absent` has the records without a gradient.

    Returns:
        The arrays by name, in the order of the format. Histograms are counted here.
    """
    arrays: dict[str, NDArray[np.generic]] = {name: np.zeros(size, dtype) for name, (size, dtype) in records.sizes.items()}
    if UNITS_ARRAY in arrays:
        # A unit that could not be measured must not look dead.
        arrays[UNITS_ARRAY].fill(np.nan)
    for key in absent:
        _mark_absent(arrays["counts"], records, key)
    histograms: dict[int, tuple[Histogram, NDArray[np.floating]]] = {}
    keys: Sequence[RecordKey] = ()
    numbers = records.numbers(keys)
    for place, rows in zip(places, arrived, strict=False):
        # Places of the same records follow one another.
        if place.keys is not keys:
            keys, numbers = place.keys, records.numbers(place.keys)
        if place.section == HISTOGRAM:
            if place.sizes is None:
                histogram = histogram_of_stored(as_array(rows)[0], records.entry(keys[0]))
                histograms.update(dict.fromkeys(numbers.tolist(), histogram))
            else:
                each = columns_of_records(place, as_array(rows)[0])
                for key, number, values in zip(keys, numbers.tolist(), each, strict=True):
                    histograms[number] = histogram_of_stored(values, records.entry(key))
        elif len(rows) and rows.shape[1]:
            _put(arrays, records, *_in_order(place, as_array(rows)), numbers)
    return [*((name, _blob(name, array)) for name, array in arrays.items()), *histogram_arrays(records.histograms, histograms)]


def _in_order(place: Place, rows: NDArray[np.generic]) -> tuple[Place, NDArray[np.generic]]:
    """A place without picks, and its rows."""
    if place.picks is None:
        return place, rows
    if place.sizes is None:
        return place._replace(picks=None), rows[list(place.picks)]
    each = columns_of_records(place, rows[0])
    return place._replace(picks=None, sizes=tuple(map(len, each))), np.concatenate(each)[None]


def _mark_absent(counts: NDArray[np.generic], records: LayoutRecords, key: RecordKey) -> None:
    start, entry = int(records.numbers([key])[0]) * COUNTS_PER_RECORD, records.entry(key)
    counts[start + 3] = entry.values_per_sample * (1 if entry.batch_dimension is None else entry.shape[entry.batch_dimension])
    counts[start + 4] = FLAG_GRADIENT_ABSENT


def _put(arrays: _Arrays, records: LayoutRecords, place: Place, rows: NDArray[np.generic], numbers: NDArray[np.int64]) -> None:
    entry, section = records.entry(place.keys[0]), place.section
    if section == "counts":
        name, starts = section, numbers * COUNTS_PER_RECORD
    elif section == "extrema":
        name, starts = f"extrema.{entry.precision}", records.extrema[numbers] * EXTREMA_PER_RECORD
    elif section == "statistics":
        name, starts = f"statistics.{entry.precision}", records.statistics[numbers]
    elif section == UNITS:
        name, starts = UNITS_ARRAY, records.units[numbers]
    elif section == "aggregates":
        name, starts = f"aggregates.{entry.precision}", records.aggregates[numbers]
    else:
        name, starts = f"values.{entry.stored}", records.values[numbers]
    if place.sizes is None:
        _scatter_rows(arrays[name], starts + place.column, rows)
    else:
        _scatter_columns(arrays[name], starts + place.column, rows, np.asarray(place.sizes))


def _scatter_rows(array: NDArray[np.generic], starts: NDArray[np.int64], rows: NDArray[np.generic]) -> None:
    """Writes row `t` of `[T, W]` to the elements from `starts[t]` on."""
    width = rows.shape[1]
    if width > _LONG_ROW:
        for start, row in zip(starts.tolist(), rows, strict=True):
            array[start : start + width] = row
    else:
        array[starts[:, None] + np.arange(width)] = rows


def _scatter_columns(array: NDArray[np.generic], starts: NDArray[np.int64], rows: NDArray[np.generic], sizes: NDArray[np.int64]) -> None:
    """Writes the columns of `[R, M]` that belong to tensor `t`, `sizes[t]` of them, row after row to the elements from `starts[t]` on."""
    count, columns = rows.shape
    first_columns = sizes.cumsum() - sizes
    if columns > _LONG_ROW * len(sizes):
        for start, column, size in zip(starts.tolist(), first_columns.tolist(), sizes.tolist(), strict=True):
            array[start : start + count * size].reshape(count, size)[:] = rows[:, column : column + size]
    else:
        targets = np.arange(columns) + np.repeat(starts - first_columns, sizes)
        array[targets + np.arange(count)[:, None] * np.repeat(sizes, sizes)] = rows


def _blob(name: str, array: NDArray[np.generic]) -> Blob:
    if name == UNITS_ARRAY:
        return encode_units(array.astype(np.float32, copy=False))
    if name != "counts":
        return Blob(name.rpartition(".")[2], array)
    fits = array.max(initial=0) <= np.iinfo(np.int32).max
    return Blob("I32", array.astype(np.int32)) if fits else Blob("I64", array)


# How many layouts the steps of a run alternate between. A network that is trained on sequences of several lengths has one for each.
_RECENT = 16


class LayoutRecords:
    """The records of a layout: their numbers, and where the data of each record begins.

    Args:
        layout: The layout.
        tensors: The numbers of its tensors, in the same order. They are part of the keys of records.

    Attributes:
        sizes: The arrays in the order of the format: the number of elements of each, and its dtype. Counts are int64.
        extrema: For each record, where its extrema begin in their array. `statistics`, `aggregates` and `values` do the same.
        histograms: The records that have a histogram, in order.
        units: For each record, where the statistics of its units begin; -1 if it has none.
    """

    def __init__(self, layout: Layout, tensors: Sequence[int]) -> None:
        self.layout = layout
        self.tensors = tuple(tensors)
        keys = [(group.name, tensor) for group in layout.groups for tensor in group.tensors]
        self._numbers = {(group, self.tensors[tensor]): number for number, (group, tensor) in enumerate(keys)}
        self._entries = [layout.tensors[tensor] for _, tensor in keys]
        self.sizes: dict[str, tuple[int, np.dtype[np.generic]]] = {
            name: (expected.elements, np.dtype(np.int64) if name == "counts" else ARRAY_DTYPES[expected.dtypes[0]])
            for name, expected in expected_arrays(layout).items()
        }
        self.extrema, self.statistics, self.aggregates, self.values = (np.array(column, np.int64) for column in record_columns(layout))
        self.histograms: list[RecordPlace] = histogram_records(layout)
        self.sizes.update({name: (expected.elements, np.dtype(np.float32)) for name, expected in expected_units(layout).items()})
        self.units = np.full(len(keys), -1, np.int64)
        start = 0
        for position, entry in tensors_with_units(layout):
            self.units[self._numbers[FORWARD, self.tensors[position]]] = start
            start += len(UNIT_STATISTICS) * entry.units_count

    def numbers(self, keys: Sequence[RecordKey]) -> NDArray[np.int64]:
        """The positions of records in the layout."""
        return np.fromiter(map(self._numbers.__getitem__, keys), np.int64, len(keys))

    def entry(self, key: RecordKey) -> TensorEntry:
        """The description of a record's tensor."""
        return self._entries[self._numbers[key]]


class KnownLayouts:
    """The records of the last layouts. For one thread at a time."""

    def __init__(self) -> None:
        self._known: deque[LayoutRecords] = deque(maxlen=_RECENT)

    def records(self, layout: Layout, tensors: Sequence[int]) -> LayoutRecords:
        """The records of a layout. They may hold another layout that equals it."""
        numbers = tuple(tensors)
        for known in self._known:
            if known.tensors == numbers and known.layout == layout:
                return known
        self._known.append(records := LayoutRecords(layout, numbers))
        return records
