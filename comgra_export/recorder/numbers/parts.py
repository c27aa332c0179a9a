"""What the ways of computing the numbers of a step hand to each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from comgra_export.recorder.host.dtypes import NumberType
from comgra_export.storage.model import TensorEntry

__all__ = [
    "FORWARD",
    "LOOKED_AT",
    "CpuSummary",
    "Part",
    "Place",
    "RecordKey",
    "RowSums",
    "Section",
    "Seen",
    "Waiting",
    "as_matrix",
    "items_over_batch",
    "part_for_histogram",
    "summarize_rows",
]

FORWARD = "forward"
"""The group of the values that tensors had when they were registered; the others are of gradients."""

RecordKey = tuple[str, int]
"""Identifies the numbers of a tensor in a group of its step: the group, and the tensor's number."""

LOOKED_AT = "looked at"

Section = str
"""`counts`, `extrema`, `statistics`, `aggregates`, `values`, or `looked at`: the values that a histogram is made of."""


class Place(NamedTuple):
    """Where some of the numbers of a step belong.

    Attributes:
        keys: To which records (`T` of them). Values that are looked at are one row, the same for all of them.
        section: Which numbers they are.
        column: With which of a record's numbers in that section they begin.
        sizes: None where every record has a row of numbers. Else how many columns each has: its numbers are those of the first row, then
            those of the next.
    """

    keys: tuple[RecordKey, ...]
    section: Section
    column: int = 0
    sizes: tuple[int, ...] | None = None


class Part(NamedTuple):
    """Some of the numbers of a step: `rows`, `[T, W]` or `[R, sum of sizes]`, on the device of the tensors."""

    place: Place
    rows: Tensor


class Waiting(NamedTuple):
    """A tensor that is to be computed. Of so many values, at most, there is a histogram; 0: there is none."""

    key: RecordKey
    entry: TensorEntry
    numbers: NumberType
    values: Tensor
    histogram_values: int = 0


class Seen(NamedTuple):
    """A tensor at whose values nobody has to look any more, but whose numbers are not computed yet.

    Attributes:
        key: The record.
        entry: What the tensor is.
        rows: What was found of it.
        taken: The values that its histogram is made of, float32 `[n]`; None where it has none, or they are a `Part`.
    """

    key: RecordKey
    entry: TensorEntry
    rows: RowSums
    taken: NDArray[np.float32] | None = None


def part_for_histogram(keys: tuple[RecordKey, ...], values: Tensor) -> Part:
    """The values that the histogram of some records is made of, `[1, n]`."""
    return Part(Place(keys, LOOKED_AT), values)


def as_matrix(one: Waiting) -> Tensor:
    """`[B, N]`, or `[1, N]` without a batch dimension."""
    dimension = one.entry.batch_dimension
    if dimension is None:
        return one.values.reshape(1, -1)
    values = one.values if dimension == 0 else one.values.movedim(dimension, 0)
    return values if values.dim() == 2 else values.reshape(values.shape[0], -1)


_Doubles = NDArray[np.float64]


class CpuSummary(NamedTuple):
    """Numbers of `T` tensors with `B` samples.

    Attributes:
        counts: int64 `[T, 4]`, as in `Summary`.
        extrema: float32 `[T, 2]`, likewise.
        items: float32 `[T, 4, B]`: mean, mean magnitude, standard deviation and largest magnitude over the values.
        over_batch: float32 `[T, 4, 3]`: mean, largest magnitude and standard deviation of each item over the batch, if asked for.
        aggregates: float32: the same of each value, if asked for: `[T, 3, N]` for tensors of one shape, `[3, M]` for such with `M` values
            per sample together.
    """

    counts: Tensor
    extrema: Tensor
    items: Tensor
    over_batch: Tensor | None
    aggregates: Tensor | None


class RowSums(NamedTuple):
    """What was found of a tensor in which every sample is a row: `R` rows of `N` values.

    Attributes:
        size: `N`.
        sums: Of each row the smallest and the largest value, the sums of values and of magnitudes, and the sum of squared deviations from
            the mean: float64 `[5 * R]`.
        zeros: How many values are zero.
    """

    size: int
    sums: _Doubles
    zeros: int


def summarize_rows(tensors: Sequence[RowSums], of_batch: bool) -> CpuSummary:
    """Computes the numbers of tensors from what was found of them.

    Args:
        tensors: At least one; with as many rows each.
        of_batch: Whether to compute `over_batch`.
    """
    sizes = np.array([[one.size] for one in tensors])
    smallest, largest, total, of_magnitudes, spread = np.stack([one.sums.reshape(5, -1) for one in tensors], axis=1)
    std = np.sqrt(np.maximum(spread, 0) / np.maximum(sizes - 1, 1))
    items = np.stack([total / sizes, of_magnitudes / sizes, std, np.maximum(largest, -smallest)])
    counts = np.zeros((len(tensors), 4), np.int64)
    counts[:, 3] = [one.zeros for one in tensors]
    return CpuSummary(
        counts=torch.from_numpy(counts),
        extrema=torch.from_numpy(np.stack([smallest.min(axis=1), largest.max(axis=1)], axis=1)).float(),
        items=torch.from_numpy(items.transpose(1, 0, 2)).float(),
        over_batch=torch.from_numpy(items_over_batch(items.transpose(0, 2, 1))).float() if of_batch else None,
        aggregates=None,
    )


def items_over_batch(items: _Doubles) -> _Doubles:
    """`[4, B, T]` to `[T, 4, 3]`. A standard deviation over one sample is 0."""
    mean = items.mean(axis=1)
    deviations = items - mean[:, None]
    std = np.sqrt(np.square(deviations, out=deviations).sum(axis=1) / max(items.shape[1] - 1, 1))
    together: _Doubles = np.stack([mean, np.abs(items).max(axis=1), std], axis=1).transpose(2, 0, 1)
    return together
