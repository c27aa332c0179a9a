"""Putting the numbers of a step where the recording format wants them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from comgra_export.recorder.dtypes import as_array
from comgra_export.recorder.measurements import Part
from comgra_export.storage.arrays import COUNTS_PER_RECORD, EXTREMA_PER_RECORD, RecordPlace, expected_arrays, iterate_records
from comgra_export.storage.blobs import ARRAY_DTYPES
from comgra_export.storage.model import FLAG_GRADIENT_ABSENT, Blob, Layout

__all__ = ["GroupNumbers", "arrange"]

_Arrays = Mapping[str, NDArray[np.generic]]


@dataclass(frozen=True)
class GroupNumbers:
    """The numbers of one group.

    Attributes:
        parts: Numbers of its tensors.
        absent: Positions of the tensors whose gradient was absent.
        rows: Maps the positions of `parts` and `absent` to positions in the layout.
    """

    parts: Sequence[Part]
    absent: Collection[int]
    rows: Mapping[int, int]


def arrange(layout: Layout, groups: Sequence[GroupNumbers]) -> list[tuple[str, Blob]]:
    """Arranges the numbers of a step into the arrays of its blob.

    Args:
        layout: What the step holds.
        groups: The numbers of each of its groups, in the same order. A record that no part holds stays zero.

    Returns:
        The arrays by name, in the order of the format; none is empty.
    """
    arrays: dict[str, NDArray[np.generic]] = {}
    for name, expected in expected_arrays(layout).items():
        dtype = np.dtype(np.int64) if name == "counts" else ARRAY_DTYPES[expected.dtypes[0]]
        arrays[name] = np.zeros(expected.elements, dtype)
    places = iterate_records(layout)
    for group, numbers in zip(layout.groups, groups, strict=True):
        by_row = {place.tensor: place for place in (next(places) for _ in group.tensors)}
        for position in numbers.absent:
            _mark_absent(arrays, by_row[numbers.rows[position]])
        for part in numbers.parts:
            _place(arrays, [by_row[numbers.rows[position]] for position in part.positions], part)
    return [(name, _blob(name, array)) for name, array in arrays.items()]


def _mark_absent(arrays: _Arrays, place: RecordPlace) -> None:
    start = place.counts * COUNTS_PER_RECORD
    entry = place.entry
    arrays["counts"][start + 3] = entry.values_per_sample * (1 if entry.batch_dimension is None else entry.shape[entry.batch_dimension])
    arrays["counts"][start + 4] = FLAG_GRADIENT_ABSENT


def _place(arrays: _Arrays, places: Sequence[RecordPlace], part: Part) -> None:
    entry = places[0].entry
    summary = part.summary
    _scatter(arrays, "counts", [place.counts * COUNTS_PER_RECORD for place in places], summary.counts.numpy())
    _scatter(arrays, f"extrema.{entry.precision}", [place.extrema * EXTREMA_PER_RECORD for place in places], summary.extrema.numpy())
    _scatter(arrays, f"statistics.{entry.precision}", [place.statistics for place in places], summary.statistics.numpy())
    if summary.aggregates is not None:
        _scatter(arrays, f"aggregates.{entry.precision}", [place.aggregates for place in places], summary.aggregates.numpy())
    if summary.values is not None:
        _scatter(arrays, f"values.{entry.stored}", [place.values for place in places], as_array(summary.values))


def _scatter(arrays: _Arrays, name: str, starts: Sequence[int], rows: NDArray[np.generic]) -> None:
    """Writes row `t` to the elements that begin at `starts[t]`."""
    if not rows.size:
        return
    array = arrays[name]
    if len(starts) == 1:
        array[starts[0] : starts[0] + rows.shape[1]] = rows[0]
    else:
        array[np.asarray(starts)[:, None] + np.arange(rows.shape[1])] = rows


def _blob(name: str, array: NDArray[np.generic]) -> Blob:
    if name != "counts":
        return Blob(name.rpartition(".")[2], array)
    fits = array.max(initial=0) <= np.iinfo(np.int32).max
    return Blob("I32", array.astype(np.int32)) if fits else Blob("I64", array)
