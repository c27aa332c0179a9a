"""Putting the numbers of a step where the recording format wants them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from comgra_export.recorder.dtypes import as_array
from comgra_export.recorder.histograms import histogram_arrays, histogram_of_stored
from comgra_export.recorder.record_numbers import LOOKED_AT, Place, RecordKey
from comgra_export.storage.arrays import EXTREMA_PER_RECORD, expected_arrays, record_columns
from comgra_export.storage.blobs import ARRAY_DTYPES
from comgra_export.storage.counts import COUNTS_PER_RECORD
from comgra_export.storage.histograms import Histogram
from comgra_export.storage.model import FLAG_GRADIENT_ABSENT, Blob, Layout, TensorEntry

__all__ = ["StepNumbers", "arrange"]

_Arrays = Mapping[str, NDArray[np.generic]]

# Rows from this length on are cheaper copied one by one than by the positions of their elements.
_LONG_ROW = 64


@dataclass(frozen=True)
class StepNumbers:
    """The numbers of a step.

    Attributes:
        places: What the numbers are that arrive.
        absent: Records of tensors whose gradient was absent.
        tensors: The numbers of the layout's tensors by which records are known, in the same order.
    """

    places: Sequence[Place]
    absent: Collection[RecordKey]
    tensors: Sequence[int]


def arrange(layout: Layout, numbers: StepNumbers, arrived: Sequence[Tensor]) -> list[tuple[str, Blob]]:
    """Arranges the numbers of a step into the arrays of its blob.

    Args:
        layout: What the step holds.
        numbers: What they are. A record that none of them belongs to stays zero.
        arrived: Those of each place, in order, on the CPU. What comes behind them is not looked at.

    Returns:
        The arrays by name, in the order of the format. Histograms are counted here.
    """
    arrays: dict[str, NDArray[np.generic]] = {}
    for name, expected in expected_arrays(layout).items():
        dtype = np.dtype(np.int64) if name == "counts" else ARRAY_DTYPES[expected.dtypes[0]]
        arrays[name] = np.zeros(expected.elements, dtype)
    records = _Records(layout, numbers.tensors)
    for key in numbers.absent:
        _mark_absent(arrays["counts"], records, key)
    histograms: dict[int, tuple[Histogram, NDArray[np.floating]]] = {}
    for place, rows in zip(numbers.places, arrived, strict=False):
        if place.section == LOOKED_AT:
            found = histogram_of_stored(as_array(rows)[0], records.entry(place.keys[0]))
            histograms.update(dict.fromkeys(records.numbers(place.keys).tolist(), found))
        elif len(rows) and rows.shape[1]:
            _put(arrays, records, place, as_array(rows))
    return [*((name, _blob(name, array)) for name, array in arrays.items()), *histogram_arrays(layout, histograms)]


class _Records:
    """The records of a step: their numbers, and where what belongs to each is."""

    def __init__(self, layout: Layout, tensors: Sequence[int]) -> None:
        keys = [(group.name, tensor) for group in layout.groups for tensor in group.tensors]
        self._numbers = {(group, tensors[tensor]): number for number, (group, tensor) in enumerate(keys)}
        self._entries = [layout.tensors[tensor] for _, tensor in keys]
        self.extrema, self.statistics, self.aggregates, self.values = (np.array(column, np.int64) for column in record_columns(layout))

    def numbers(self, keys: Sequence[RecordKey]) -> NDArray[np.int64]:
        """Which records they are."""
        return np.fromiter(map(self._numbers.__getitem__, keys), np.int64, len(keys))

    def entry(self, key: RecordKey) -> TensorEntry:
        """What the tensor of a record is."""
        return self._entries[self._numbers[key]]


def _mark_absent(counts: NDArray[np.generic], records: _Records, key: RecordKey) -> None:
    start, entry = int(records.numbers([key])[0]) * COUNTS_PER_RECORD, records.entry(key)
    counts[start + 3] = entry.values_per_sample * (1 if entry.batch_dimension is None else entry.shape[entry.batch_dimension])
    counts[start + 4] = FLAG_GRADIENT_ABSENT


def _put(arrays: _Arrays, records: _Records, place: Place, rows: NDArray[np.generic]) -> None:
    entry, section = records.entry(place.keys[0]), place.section
    numbers = records.numbers(place.keys)
    if section == "counts":
        name, starts = section, numbers * COUNTS_PER_RECORD
    elif section == "extrema":
        name, starts = f"extrema.{entry.precision}", records.extrema[numbers] * EXTREMA_PER_RECORD
    elif section == "statistics":
        name, starts = f"statistics.{entry.precision}", records.statistics[numbers]
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
    if name != "counts":
        return Blob(name.rpartition(".")[2], array)
    fits = array.max(initial=0) <= np.iinfo(np.int32).max
    return Blob("I32", array.astype(np.int32)) if fits else Blob("I64", array)
