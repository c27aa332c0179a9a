"""Which arrays a layout implies, and where in them the numbers of each record are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from comgra_export.errors import MisuseError
from comgra_export.storage.arrays.counts import COUNTS, COUNTS_PER_RECORD
from comgra_export.storage.arrays.histograms import HISTOGRAM_COLUMNS, QUANTILES
from comgra_export.storage.arrays.safetensors import StoredArray, widened
from comgra_export.storage.model.layout import Blob, Layout, TensorEntry
from comgra_export.storage.text.json_codec import damaged

__all__ = [
    "EXTREMA_PER_RECORD",
    "HISTOGRAM_BINS",
    "HISTOGRAM_COUNTS",
    "ExpectedArray",
    "RecordPlace",
    "check_arrays",
    "expected_arrays",
    "expected_histograms",
    "histogram_records",
    "in_rows",
    "iterate_records",
    "record_columns",
    "values_of_record",
]

EXTREMA_PER_RECORD = 2

HISTOGRAM_BINS = "histograms.bins"
HISTOGRAM_COUNTS = "histograms.counts"
_HISTOGRAM_QUANTILES = "histograms.quantiles."


class ExpectedArray(NamedTuple):
    """An array that a step must hold: the dtypes it may have, and how many elements it has."""

    dtypes: tuple[str, ...]
    elements: int


class RecordPlace(NamedTuple):
    """Where the numbers of a record are.

    Attributes:
        group: Name of the group.
        tensor: Position of the tensor in `layout.tensors`.
        entry: The tensor itself.
        counts: Row in `counts`; also the record's number in the step.
        extrema: Row in `extrema.P`, where P is `entry.precision`.
        statistics: First element in `statistics.P`; `entry.statistics_count` follow.
        aggregates: First element in `aggregates.P`; `entry.aggregates_count` follow, which may be none.
        values: First element in `values.D`, where D is `entry.stored`; `entry.values_count` follow, which may be none.
    """

    group: str
    tensor: int
    entry: TensorEntry
    counts: int
    extrema: int
    statistics: int
    aggregates: int
    values: int


class RecordColumns(NamedTuple):
    """Where the numbers of all records are: a column for each attribute of `RecordPlace` that is a position."""

    extrema: list[int]
    statistics: list[int]
    aggregates: list[int]
    values: list[int]


def record_columns(layout: Layout) -> RecordColumns:
    """The places of all records, in the order of the layout: groups in order, and the tensors of each in order."""
    order = [layout.tensors[tensor] for group in layout.groups for tensor in group.tensors]
    precisions = [entry.precision for entry in order]
    return RecordColumns(
        extrema=_starts([1] * len(order), precisions),
        statistics=_starts([entry.statistics_count for entry in order], precisions),
        aggregates=_starts([entry.aggregates_count for entry in order], precisions),
        values=_starts([entry.values_count for entry in order], [entry.stored for entry in order]),
    )


def _starts(counts: Sequence[int], dtypes: Sequence[str]) -> list[int]:
    """Where each record begins in the array of its dtype."""
    ends: dict[str, int] = {}
    starts = []
    for count, dtype in zip(counts, dtypes, strict=True):
        start = ends.get(dtype, 0)
        starts.append(start)
        ends[dtype] = start + count
    return starts


def iterate_records(layout: Layout) -> Iterator[RecordPlace]:
    """Yields the place of every record, in the order of the layout: groups in order, and the tensors of each in order."""
    tensors = [(group.name, tensor) for group in layout.groups for tensor in group.tensors]
    for record, ((group, tensor), *starts) in enumerate(zip(tensors, *record_columns(layout), strict=True)):
        yield RecordPlace(group, tensor, layout.tensors[tensor], record, *starts)


def values_of_record(place: RecordPlace, blobs: Mapping[str, Blob], rows: Sequence[int]) -> NDArray[np.float32]:
    """Values of a record, `[rows, N]`; what float32 cannot hold becomes infinite.

    Args:
        place: A record that has values.
        blobs: The arrays of its step by name.
        rows: Which of its samples, counted from 0 among those that were recorded; `[0]` if it has no batch dimension.
    """
    entry = place.entry
    flat = blobs[f"values.{entry.stored}"].data.reshape(-1)[place.values : place.values + entry.values_count]
    with np.errstate(over="ignore"):
        return widened(entry.stored, flat.reshape(-1, entry.values_per_sample)[list(rows)]).astype(np.float32)


def expected_arrays(layout: Layout) -> dict[str, ExpectedArray]:
    """The arrays of a step with this layout, by name, in the order `counts`, `extrema.*`, `statistics.*`, `aggregates.*`, `values.*`.

    An array without elements is left out, as it is on disk.
    """
    uses = Counter(tensor for group in layout.groups for tensor in group.tensors)
    extrema: Counter[str] = Counter()
    statistics: Counter[str] = Counter()
    aggregates: Counter[str] = Counter()
    values: Counter[str] = Counter()
    for tensor, times in uses.items():
        entry = layout.tensors[tensor]
        precision = entry.precision
        extrema[precision] += EXTREMA_PER_RECORD * times
        statistics[precision] += entry.statistics_count * times
        aggregates[precision] += entry.aggregates_count * times
        values[entry.stored] += entry.values_count * times
    expected = {COUNTS: ExpectedArray(("I32", "I64"), COUNTS_PER_RECORD * uses.total())}
    for name, counts in (("extrema", extrema), ("statistics", statistics), ("aggregates", aggregates), ("values", values)):
        expected.update({f"{name}.{dtype}": ExpectedArray((dtype,), counts[dtype]) for dtype in sorted(counts)})
    return {name: array for name, array in expected.items() if array.elements}


def histogram_records(layout: Layout) -> list[RecordPlace]:
    """The records that have a histogram, in the order of the layout (`H` of them)."""
    return [place for place in iterate_records(layout) if place.entry.histogram]


def expected_histograms(layout: Layout) -> dict[str, ExpectedArray]:
    """The arrays of histograms of a step with this layout, by name.

    `histograms.counts`, which is as long as the bins say, is not among them, nor is an array without elements.
    """
    precisions: Counter[str] = Counter(
        layout.tensors[tensor].precision for group in layout.groups for tensor in group.tensors if layout.tensors[tensor].histogram
    )
    if not precisions:
        return {}
    quantiles = {
        f"{_HISTOGRAM_QUANTILES}{dtype}": ExpectedArray((dtype,), len(QUANTILES) * precisions[dtype]) for dtype in sorted(precisions)
    }
    return {HISTOGRAM_BINS: ExpectedArray(("I32", "I64"), HISTOGRAM_COLUMNS * precisions.total()), **quantiles}


def in_rows(name: str, blob: Blob) -> Blob:
    """Gives an array its shape: `counts` `[R, 5]`, `extrema.P` `[R_P, 2]`, every other one flat.

    The bins of histograms are `[H, 8]`, their quantiles `[H_P, 7]`.

    Raises:
        MisuseError: The number of elements is not a multiple of the row's length.
    """
    columns = _row_length(name)
    if columns is None:
        return Blob(blob.dtype, blob.data.reshape(-1))
    if blob.data.size % columns:
        raise MisuseError(
            f"The array {name} has {blob.data.size} elements, which is not a multiple of {columns}. Give {columns} per record."
        )
    return Blob(blob.dtype, blob.data.reshape(-1, columns))


def _row_length(name: str) -> int | None:
    if name == COUNTS:
        return COUNTS_PER_RECORD
    if name == HISTOGRAM_BINS:
        return HISTOGRAM_COLUMNS
    if name.startswith(_HISTOGRAM_QUANTILES):
        return len(QUANTILES)
    return EXTREMA_PER_RECORD if name.startswith("extrema.") else None


def check_arrays(expected: Mapping[str, ExpectedArray], stored: Mapping[str, StoredArray], file: str) -> None:
    """Checks that a file holds exactly the elements that a layout implies. Arrays with other names are ignored.

    Raises:
        DamagedRecordingError: An array is missing, or has another dtype or shape than the layout implies.
    """
    for name, array in expected.items():
        in_file = stored.get(name)
        if in_file is None:
            raise damaged(file, f"the array {name} is missing")
        if in_file.dtype not in array.dtypes:
            raise damaged(file, f"the array {name} has the dtype {in_file.dtype[:20]!a} and not {' or '.join(array.dtypes)}")
        columns = _row_length(name)
        shape = (array.elements,) if columns is None else (array.elements // columns, columns)
        if in_file.shape != shape:
            raise damaged(file, f"the array {name} has the shape {list(in_file.shape)}, but the layout implies {list(shape)}")
