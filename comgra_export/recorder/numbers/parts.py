"""What the ways of computing the numbers of a step hand to each other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from comgra_export.recorder.host.dtypes import NumberType
from comgra_export.recorder.numbers.cpu_summary import RowSums
from comgra_export.storage.model import TensorEntry

__all__ = ["FORWARD", "LOOKED_AT", "Part", "Place", "RecordKey", "Section", "Seen", "Waiting", "as_matrix", "part_for_histogram"]

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
