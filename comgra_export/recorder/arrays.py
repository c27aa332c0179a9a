"""Putting the numbers of a step where the recording format wants them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from comgra_export.recorder.dtypes import as_array
from comgra_export.recorder.measurements import Place
from comgra_export.storage.arrays import COUNTS_PER_RECORD, EXTREMA_PER_RECORD, RecordPlace, expected_arrays, iterate_records
from comgra_export.storage.blobs import ARRAY_DTYPES
from comgra_export.storage.model import FLAG_GRADIENT_ABSENT, Blob, Layout

__all__ = ["GroupNumbers", "arrange"]

_Arrays = Mapping[str, NDArray[np.generic]]

# Rows from this length on are cheaper copied one by one than by the positions of their elements.
_LONG_ROW = 64


@dataclass(frozen=True)
class GroupNumbers:
    """The numbers of one group.

    Attributes:
        parts: What the numbers of its tensors are.
        absent: Positions of the tensors whose gradient was absent.
        rows: Maps the positions of `parts` and `absent` to positions in the layout.
    """

    parts: Sequence[Place]
    absent: Collection[int]
    rows: Mapping[int, int]


def arrange(layout: Layout, groups: Sequence[GroupNumbers], arrived: Sequence[Tensor]) -> list[tuple[str, Blob]]:
    """Arranges the numbers of a step into the arrays of its blob.

    Args:
        layout: What the step holds.
        groups: The numbers of each of its groups, in the same order. A record that no part holds stays zero.
        arrived: The rows of all parts of all groups, in order, on the CPU. What comes behind them is not looked at.

    Returns:
        The arrays by name, in the order of the format; none is empty.
    """
    arrays: dict[str, NDArray[np.generic]] = {}
    for name, expected in expected_arrays(layout).items():
        dtype = np.dtype(np.int64) if name == "counts" else ARRAY_DTYPES[expected.dtypes[0]]
        arrays[name] = np.zeros(expected.elements, dtype)
    places, rows = iterate_records(layout), iter(arrived)
    for group, numbers in zip(layout.groups, groups, strict=True):
        by_row = {place.tensor: place for place in (next(places) for _ in group.tensors)}
        for position in numbers.absent:
            _mark_absent(arrays, by_row[numbers.rows[position]])
        for part in numbers.parts:
            _place(arrays, [by_row[numbers.rows[position]] for position in part.positions], part, as_array(next(rows)))
    return [(name, _blob(name, array)) for name, array in arrays.items()]


def _mark_absent(arrays: _Arrays, place: RecordPlace) -> None:
    start = place.counts * COUNTS_PER_RECORD
    entry = place.entry
    arrays["counts"][start + 3] = entry.values_per_sample * (1 if entry.batch_dimension is None else entry.shape[entry.batch_dimension])
    arrays["counts"][start + 4] = FLAG_GRADIENT_ABSENT


def _place(arrays: _Arrays, places: Sequence[RecordPlace], part: Place, rows: NDArray[np.generic]) -> None:
    entry, section = places[0].entry, part.section
    if section == "counts":
        name, starts = section, [place.counts * COUNTS_PER_RECORD for place in places]
    elif section == "extrema":
        name, starts = f"extrema.{entry.precision}", [place.extrema * EXTREMA_PER_RECORD for place in places]
    elif section == "statistics":
        name, starts = f"statistics.{entry.precision}", [place.statistics for place in places]
    elif section == "aggregates":
        name, starts = f"aggregates.{entry.precision}", [place.aggregates for place in places]
    else:
        name, starts = f"values.{entry.stored}", [place.values for place in places]
    _scatter(arrays, name, starts, part.column, rows)


def _scatter(arrays: _Arrays, name: str, starts: Sequence[int], column: int, rows: NDArray[np.generic]) -> None:
    """Writes row `t` to the elements that begin `column` elements after `starts[t]`."""
    if not rows.size:
        return
    array, width = arrays[name], rows.shape[1]
    if width > _LONG_ROW:
        for start, row in zip(starts, rows, strict=True):
            array[start + column : start + column + width] = row
    else:
        array[np.asarray(starts)[:, None] + np.arange(column, column + width)] = rows


def _blob(name: str, array: NDArray[np.generic]) -> Blob:
    if name != "counts":
        return Blob(name.rpartition(".")[2], array)
    fits = array.max(initial=0) <= np.iinfo(np.int32).max
    return Blob("I32", array.astype(np.int32)) if fits else Blob("I64", array)
