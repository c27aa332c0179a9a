"""The statistics of one record over the steps of a run.

Letters: `T` steps that hold the record, `B` samples in the batch, `N` values per sample.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from comgra_export.analysis.ranks import FLAG_RANKS_DIFFER
from comgra_export.storage import FLAG_GRADIENT_ABSENT, TensorEntry

__all__ = ["FORWARD", "ITEMS", "Floats", "Integers", "RecordKey", "Series", "TensorKey"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

FORWARD = "forward"
"""The group of the values themselves. All other groups hold gradients."""

ITEMS = ("mean", "abs_mean", "std", "abs_max", "svd")
"""The statistics of a series, in order. A tensor with a single value has the first only, which is the value."""


class TensorKey(NamedTuple):
    """What identifies a recorded tensor in every step: its name and its iteration (-1: parameters, buffers and initial values)."""

    name: str
    iteration: int


class RecordKey(NamedTuple):
    """A tensor of one group."""

    group: str
    tensor: TensorKey


@dataclass(frozen=True)
class Series:
    """What was recorded of a tensor, over all steps that hold it. All arrays begin with the axis `T`.

    Attributes:
        key: Which record it is.
        entry: The tensor, as the last of these steps describes it. Its shape may differ in others.
        positions: `[T]`, ascending: which of the run's steps these are.
        steps: `[T]`: their numbers.
        statistics: float32 `[T, 5, 3]`: per item of `ITEMS` the mean over the batch, the largest magnitude, and the standard deviation
            over the batch. Without a batch dimension, the second and third are NaN. NaN if an item was not recorded.
        extrema: `[T, 2]`: the smallest and the largest finite value; NaN if there is none.
        counts: `[T, 5]`: how many values are NaN, infinity, negative infinity, and zero; then the flags.
        sizes: `[T]`: how many values there are.
        samples: `[T]`: `B`, or 1 without a batch dimension.
    """

    key: RecordKey
    entry: TensorEntry
    positions: Integers
    steps: Floats
    statistics: NDArray[np.float32]
    extrema: Floats
    counts: Integers
    sizes: Integers
    samples: Integers

    def __len__(self) -> int:
        return len(self.steps)

    def at(self, chosen: NDArray[np.bool_]) -> Series:
        """The same series at some of its steps only.

        Args:
            chosen: `[T]`: which ones.
        """
        return replace(
            self,
            positions=self.positions[chosen],
            steps=self.steps[chosen],
            statistics=self.statistics[chosen],
            extrema=self.extrema[chosen],
            counts=self.counts[chosen],
            sizes=self.sizes[chosen],
            samples=self.samples[chosen],
        )

    @cached_property
    def is_absent(self) -> NDArray[np.bool_]:
        """`[T]`: whether there was no gradient at all, which is different from one that is zero."""
        absent: NDArray[np.bool_] = (self.counts[:, 4] & FLAG_GRADIENT_ABSENT) != 0
        return absent

    @property
    def ranks_differ(self) -> NDArray[np.bool_]:
        """`[T]`: whether the ranks hold other values where they could hold the same. False for a single rank."""
        differ: NDArray[np.bool_] = (self.counts[:, 4] & FLAG_RANKS_DIFFER) != 0
        return differ

    @property
    def nan(self) -> Integers:
        """`[T]`: how many values are NaN."""
        return self.counts[:, 0]

    @property
    def infinite(self) -> Integers:
        """`[T]`: how many values are infinite."""
        infinite: Integers = self.counts[:, 1] + self.counts[:, 2]
        return infinite

    @property
    def is_finite(self) -> NDArray[np.bool_]:
        """`[T]`: whether no value is NaN or infinite."""
        finite: NDArray[np.bool_] = (self.nan + self.infinite) == 0
        return finite

    @property
    def zero_share(self) -> Floats:
        """`[T]`: the share of values that are exactly zero; NaN for an empty tensor."""
        with np.errstate(invalid="ignore", divide="ignore"):
            share: Floats = self.counts[:, 3] / self.sizes
        return share

    @property
    def mean(self) -> Floats:
        """`[T]`: the mean of all values. NaN if one of them is NaN, or the tensor is empty."""
        return self._item("mean", 0)

    @property
    def absolute_mean(self) -> Floats:
        """`[T]`: the mean magnitude of all values."""
        return self._item("abs_mean", 0)

    @property
    def largest_magnitude(self) -> Floats:
        """`[T]`: the largest finite magnitude; NaN if no value is finite."""
        largest: Floats = np.abs(self.extrema).max(axis=1)
        return largest

    @cached_property
    def root_mean_square(self) -> Floats:
        """`[T]`: the root of the mean square of all values.

        Exact up to rounding: the mean square of a sample follows from its mean and standard deviation, and the mean of these over the
        batch from theirs.
        """
        per_sample = self.sizes / np.maximum(self.samples, 1)
        shrink = np.maximum(per_sample - 1, 0) / np.maximum(per_sample, 1)
        square: Floats = np.sqrt(self._mean_square_over_batch("std") * shrink + self._mean_square_over_batch("mean"))
        return square

    @property
    def norm(self) -> Floats:
        """`[T]`: the Euclidean norm of all values."""
        norm: Floats = self.root_mean_square * np.sqrt(self.sizes)
        return norm

    @property
    def standard_deviation(self) -> Floats:
        """`[T]`: the standard deviation of all values, of samples and batch together."""
        with np.errstate(invalid="ignore"):
            deviation: Floats = np.sqrt(np.maximum(self.root_mean_square**2 - self.mean**2, 0))
        return deviation

    @property
    def deviation_over_batch(self) -> Floats:
        """`[T]`: the largest standard deviation over the batch of any statistic of a sample. If it is 0, samples cannot be distinguished.

        NaN without a batch dimension.
        """
        with np.errstate(invalid="ignore"):
            return np.asarray(np.fmax.reduce(self.statistics[:, :4, 2], axis=1), np.float64)

    @property
    def dimensions(self) -> int:
        """How many dimensions the tensor has."""
        return len(self.entry.shape)

    @property
    def values_per_sample(self) -> int:
        """`N`, in the last step."""
        return prod(size for axis, size in enumerate(self.entry.shape) if axis != self.entry.batch_dimension)

    def _item(self, item: str, aggregation: int) -> Floats:
        if self.entry.kind == "single_value":
            value = self.statistics[:, 0, 0].astype(np.float64)
            return {"mean": value, "std": np.zeros_like(value)}.get(item, np.abs(value))
        return self.statistics[:, ITEMS.index(item), aggregation].astype(np.float64)

    def _mean_square_over_batch(self, item: str) -> Floats:
        """The mean over the batch of the square of a statistic: from its mean and its standard deviation, which is unbiased."""
        mean = self._item(item, 0)
        if self.entry.batch_dimension is None:
            return mean**2
        square: Floats = mean**2 + np.nan_to_num(self._item(item, 2)) ** 2 * (self.samples - 1) / np.maximum(self.samples, 1)
        return square
