"""What the modules that compute the numbers of a step hand to each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from comgra_export.recorder.host.dtypes import NumberType
from comgra_export.storage.model.layout import TensorEntry

__all__ = [
    "FORWARD",
    "HISTOGRAM",
    "UNITS",
    "Part",
    "Place",
    "RecordKey",
    "RowSums",
    "Section",
    "Summary",
    "TensorSums",
    "Waiting",
    "as_matrix",
    "columns_of_records",
    "part_for_histogram",
    "summarize_rows",
    "summarize_sums",
]

FORWARD = "forward"
"""The group of the values that tensors had when they were registered. The other groups hold gradients."""

RecordKey = tuple[str, int]
"""Identifies the numbers of a tensor in a group of its step: the group, and the tensor's number."""

HISTOGRAM = "histogram"
UNITS = "units"

Section = str
"""`counts`, `extrema`, `statistics`, `aggregates`, `values`, `units`, or `histogram`: the values that a histogram counts."""

_Doubles = NDArray[np.float64]


class Place(NamedTuple):
    """Where some of the numbers of a step belong.

    Attributes:
        keys: The records that they belong to (`T` of them). Values for a histogram are a single row, the same for all records if there are
            no `sizes`.
        section: Which numbers they are.
        column: The position in the record's section at which they begin.
        sizes: None if every record has a row of numbers. Otherwise the number of columns of each record. The numbers of a record are those
            of its first row, then those of the next.
        picks: For each record, the position of its row, or of its columns if there are `sizes`. None if they are in order.
    """

    keys: tuple[RecordKey, ...]
    section: Section
    column: int = 0
    sizes: tuple[int, ...] | None = None
    picks: tuple[int, ...] | None = None


class Part(NamedTuple):
    """Some of the numbers of a step: `rows`, `[T, W]` or `[R, sum of sizes]`, on the device of the tensors."""

    place: Place
    rows: Tensor


class Waiting(NamedTuple):
    """A tensor whose numbers are still to be computed. `histogram_values` limits the values of its histogram; 0 means no histogram."""

    key: RecordKey
    entry: TensorEntry
    numbers: NumberType
    values: Tensor
    histogram_values: int = 0


class RowSums(NamedTuple):
    """Sums over a tensor in which every sample is a row: `R` rows of `N` values.

    Attributes:
        size: `N`.
        sums: float64 `[5 * R]`. For each row: the smallest and the largest value, the sum of values, the sum of magnitudes, and the sum of
            squared deviations from the mean.
        zeros: How many values are zero.
    """

    size: int
    sums: _Doubles
    zeros: int


class TensorSums(NamedTuple):
    """The sums over a tensor whose values are no longer needed. Its numbers are still to be computed from them.

    Attributes:
        histogram: The values for its histogram, float32 `[n]`. None if it has no histogram, or if they are a `Part`.
        units: The statistics of its units, float32 `[2 * U]`. None if they are not measured, or if they are a `Part`.
    """

    key: RecordKey
    entry: TensorEntry
    rows: RowSums
    histogram: NDArray[np.float32] | None = None
    units: NDArray[np.float32] | None = None


class Summary(NamedTuple):
    """The numbers of `T` tensors with `B` samples, on one device.

    Attributes:
        counts: int64 `[T, 4]`: NaN, +infinity, -infinity, exactly zero.
        extrema: `[T, 2]`: smallest and largest finite value; NaN if there is none.
        items: `[T, 4, B]`: mean, mean magnitude, standard deviation and largest magnitude over the values; or the values themselves for the
            kind `single_value`.
        over_batch: `[T, 4, 3]`: mean, largest magnitude and standard deviation of each item over the batch, if requested.
        aggregates: The same of each value over the batch, if requested: `[T, 3, N]` for tensors of one shape, or `[3, M]` for tensors with
            `M` values per sample together.
    """

    counts: Tensor
    extrema: Tensor
    items: Tensor
    over_batch: Tensor | None
    aggregates: Tensor | None = None


def part_for_histogram(keys: tuple[RecordKey, ...], values: Tensor) -> Part:
    """The values for the histogram of some records, `[1, n]`."""
    return Part(Place(keys, HISTOGRAM), values)


def columns_of_records(place: Place, row: NDArray[np.generic]) -> list[NDArray[np.generic]]:
    """For each record, its columns of a single row. All columns if there are no `sizes`."""
    if place.sizes is None:
        return [row] * len(place.keys)
    pieces = np.split(row, np.cumsum(place.sizes)[:-1])
    return pieces if place.picks is None else [pieces[pick] for pick in place.picks]


def as_matrix(tensor: Waiting) -> Tensor:
    """`[B, N]`, or `[1, N]` without a batch dimension."""
    entry, values = tensor.entry, tensor.values
    if entry.batch_dimension is None:
        return values.reshape(1, entry.values_per_sample)
    values = values if entry.batch_dimension == 0 else values.movedim(entry.batch_dimension, 0)
    return values if values.dim() == 2 else values.reshape(values.shape[0], entry.values_per_sample)


def summarize_rows(tensors: Sequence[RowSums], of_batch: bool) -> Summary:
    """Computes float32 numbers of tensors from their sums.

    There is at least one tensor, and all have the same number of rows. `of_batch` asks for `over_batch`.
    """
    sums = np.stack([tensor.sums.reshape(5, -1) for tensor in tensors], axis=1)
    return summarize_sums([tensor.size for tensor in tensors], sums, [tensor.zeros for tensor in tensors], of_batch)


def summarize_sums(widths: Sequence[int], sums: _Doubles, zeros: Sequence[int], of_batch: bool) -> Summary:
    """Does the same for sums that lie together: `[5, T, R]`."""
    sizes = np.asarray(widths)[:, None]
    smallest, largest, total, of_magnitudes, spread = sums
    std = np.sqrt(np.maximum(spread, 0) / np.maximum(sizes - 1, 1))
    # Magnitudes, since the larger of 0 and -0 may be -0.
    items = np.stack([total / sizes, of_magnitudes / sizes, std, np.maximum(np.abs(largest), np.abs(smallest))])
    counts = np.zeros((len(sizes), 4), np.int64)
    counts[:, 3] = zeros
    return Summary(
        counts=torch.from_numpy(counts),
        extrema=torch.from_numpy(np.stack([smallest.min(axis=1), largest.max(axis=1)], axis=1)).float(),
        items=torch.from_numpy(items.transpose(1, 0, 2)).float(),
        over_batch=torch.from_numpy(_items_over_batch(items.transpose(0, 2, 1))).float() if of_batch else None,
    )


def _items_over_batch(items: _Doubles) -> _Doubles:
    """`[4, B, T]` to `[T, 4, 3]`. A standard deviation over one sample is 0."""
    mean = items.mean(axis=1)
    deviations = items - mean[:, None]
    std = np.sqrt(np.square(deviations, out=deviations).sum(axis=1) / max(items.shape[1] - 1, 1))
    together: _Doubles = np.stack([mean, np.abs(items).max(axis=1), std], axis=1).transpose(2, 0, 1)
    return together
