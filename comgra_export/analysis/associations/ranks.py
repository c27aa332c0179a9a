"""Ranks within steps, their means per sample, and how they correlate.

What drifts over training drifts for all samples of a step, so ranks within the step do not show it. A sample that comes again counts
once, with its mean. Letters: `n` rows (a sample in a step), `D` distinct samples, `F` numbers of each row.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from comgra_export.analysis.history.series import Floats, Integers

__all__ = ["Rows", "correlate", "midranks"]

_CONSTANT = 1e-9
_BATCH = 64


@dataclass(frozen=True)
class Rows:
    """Which samples there are in which steps.

    Attributes:
        steps: `[n]`, ascending: the position of the step, among the steps in use.
        ids: `[n]`: the number of the sample, from 0 on.
    """

    steps: Integers
    ids: Integers

    def __len__(self) -> int:
        return len(self.steps)

    @cached_property
    def samples(self) -> int:
        """`D`."""
        return int(self.ids.max()) + 1 if len(self) else 0

    @cached_property
    def sizes(self) -> Integers:
        """How many rows each step has."""
        return np.bincount(self.steps)

    @cached_property
    def sizes_of_rows(self) -> Integers:
        """`[n]`: how many rows its step has."""
        sizes: Integers = self.sizes[self.steps]
        return sizes

    @cached_property
    def freedom(self) -> float:
        """The share of rows that is free, since the ranks of a step have a fixed sum: 0.8 for five samples per step."""
        return 1 - np.count_nonzero(self.sizes) / max(len(self), 1)

    def at(self, chosen: NDArray[np.bool_]) -> Rows:
        """Some of the rows, with numbers from 0 on."""
        steps, ids = (np.unique(each[chosen], return_inverse=True)[1].astype(np.int64) for each in (self.steps, self.ids))
        return Rows(steps, ids)

    def centered(self, values: Floats) -> Floats:
        """`[F, n]` minus the mean of the step."""
        begins = np.flatnonzero(np.diff(self.steps, prepend=-1))
        means = np.add.reduceat(values, begins, axis=1) / np.diff(np.append(begins, len(self)))
        centered: Floats = values - np.repeat(means, np.diff(np.append(begins, len(self))), axis=1)
        return centered

    def medians(self, values: Floats) -> Floats:
        """Per value of `[F, n]` the median of its step."""
        medians = np.empty(values.shape)
        for size in np.unique(self.sizes[self.sizes > 0]):
            chosen = np.flatnonzero(self.sizes_of_rows == size)
            of_steps = np.median(values[:, chosen].reshape(len(values), -1, size), axis=2)
            medians[:, chosen] = np.repeat(of_steps, size, axis=1)
        return medians

    def ranks(self, values: Floats) -> Floats:
        """Ranks within the step, from -0.5 to 0.5.

        Args:
            values: `[F, n]`. A step in which a value is not finite gets zeros, which count for nothing.
        """
        ranks = np.zeros(values.shape)
        for size in np.unique(self.sizes[self.sizes > 1]):
            chosen = np.flatnonzero(self.sizes_of_rows == size)
            for rows in _batches(values):
                together = values[rows, chosen].reshape(-1, len(chosen) // size, size)
                of_size = (midranks(together) - (size + 1) / 2) / size
                of_size[~np.isfinite(together).all(axis=2)] = 0
                ranks[rows, chosen] = of_size.reshape(-1, len(chosen))
        return ranks

    def per_sample(self, values: Floats) -> Floats:
        """The means `[F, D]` of values `[F, n]` over the steps in which a sample is."""
        order = np.argsort(self.ids, kind="stable")
        begins = np.flatnonzero(np.diff(self.ids[order], prepend=-1))
        means = np.empty((len(values), self.samples))
        for rows in _batches(values):
            means[rows] = np.add.reduceat(values[rows, order], begins, axis=1) / np.bincount(self.ids)
        return means


def _batches(values: Floats) -> Iterator[slice]:
    """The rows of values, a few at a time: what is computed of them needs several times their memory."""
    return (slice(start, start + _BATCH) for start in range(0, len(values), _BATCH))


def midranks(values: Floats) -> Floats:
    """Ranks from 1 on along the last axis. Equal values share the mean of their ranks."""
    size = values.shape[-1]
    order = np.argsort(values, axis=-1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=-1)
    begins = np.ones(values.shape, bool)
    begins[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    ends = np.ones(values.shape, bool)
    ends[..., :-1] = begins[..., 1:]
    places = np.arange(size)
    first = np.maximum.accumulate(np.where(begins, places, 0), axis=-1)
    last = np.minimum.accumulate(np.where(ends, places, size)[..., ::-1], axis=-1)[..., ::-1]
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=-1)
    return ranks


def correlate(x: Floats, y: Floats) -> Floats:
    """The correlation of each row of `x`, `[F, D]`, with each row of `y`, `[G, D]`: `[F, G]`. 0 if one of them is constant."""
    return np.asarray(_unit(x) @ _unit(y).T, np.float64)


def _unit(values: Floats) -> Floats:
    """Each row minus its mean, scaled to length 1; zeros if it is constant."""
    centered = values - values.mean(axis=-1, keepdims=True)
    length = np.sqrt((centered * centered).sum(axis=-1, keepdims=True))
    unit: Floats = np.divide(centered, length, out=np.zeros_like(centered), where=length > _CONSTANT)
    return unit
