"""Batches that move over the data by a few samples, so that each has most samples of the one before."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from comgra_export.analysis.findings.rules.steps import usual_training_steps
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, RecordKey, TensorKey
from comgra_export.storage import BATCH_AGGREGATIONS

__all__ = ["LEAST_PAIRS", "SHARE_OF_PAIRS", "Moving", "moving_batch"]

LEAST_PAIRS = 5
"""So many pairs of steps that follow one another must be recorded."""

SHARE_OF_PAIRS = 0.9
"""In this share of them, the batch must move by the same number of samples."""

_LEAST_COMMON = 2
# Sums are rounded in another way elsewhere in a batch.
_ROUNDING = 1e-6


class Moving(NamedTuple):
    """By how many samples a batch moves, in what share of the pairs of steps, and the second step of the first such pair."""

    samples: int
    share: float
    step: float


def moving_batch(run: Run, key: TensorKey) -> Moving | None:
    """Whether the samples of an input are those of the step before, some places further on; None if they are not.

    The first samples of the batch are compared, as many as were recorded one by one: by their statistics, at least two of them, which
    differ from each other.
    """
    positions = np.flatnonzero(usual_training_steps(run))
    pairs = [(before, after) for before, after in pairwise(positions.tolist()) if run.numbers[after] - run.numbers[before] == 1]
    # The second positions of the pairs that move, by how far.
    moved: dict[int, list[int]] = {}
    count = 0
    for old, new, position in _compared(run, key, pairs):
        shifts = range(1, old.shape[1] - _LEAST_COMMON + 1)
        moved = {shift: moved[shift] for shift in shifts if shift in moved} if count else {shift: [] for shift in shifts}
        count += 1
        for shift, each in moved.items():
            if _is_moved(old, new, shift):
                each.append(position)
        # A shift fails for good if it would even though all pairs that follow moved by it.
        others = len(pairs) - count
        moved = {shift: each for shift, each in moved.items() if (len(each) + others) / len(pairs) >= SHARE_OF_PAIRS}
        if not moved:
            return None
    if count < LEAST_PAIRS:
        return None
    for shift, each in moved.items():
        share = len(each) / count
        if share >= SHARE_OF_PAIRS:
            return Moving(shift, share, float(run.numbers[each[0]]))
    return None


def _compared(run: Run, key: TensorKey, pairs: list[tuple[int, int]]) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64], int]]:
    """The samples of both steps of each pair in which they are known, and the second step. Each step is read once."""
    position, samples = -1, None
    for before, after in pairs:
        old = samples if before == position else _samples(run, key, before)
        position, samples = after, _samples(run, key, after)
        if old is not None and samples is not None:
            yield old, samples, after


def _is_moved(before: NDArray[np.float64], after: NDArray[np.float64], shift: int) -> bool:
    if len(before) != len(after):
        return False
    common = min(before.shape[1] - shift, after.shape[1])
    old, new = before[:, shift : shift + common], after[:, :common]
    differ = len(np.unique(old, axis=1).T) == common
    return common >= _LEAST_COMMON and differ and bool(np.allclose(old, new, rtol=_ROUNDING, atol=_ROUNDING * float(np.abs(old).max())))


def _samples(run: Run, key: TensorKey, position: int) -> NDArray[np.float64] | None:
    """The statistics of the samples that were recorded one by one in a step, `[I, S]`; None if these are not the first of the batch."""
    step, place = run.steps[position], run.places(position).get(RecordKey(FORWARD, key))
    if place is None or place.entry.batch_dimension is None or step.samples.index != tuple(range(place.entry.samples)):
        return None
    entry, name = place.entry, f"statistics.{place.entry.precision}"
    flat = run.recording.blobs(step.step, {name})[name].data.reshape(-1)
    numbers = flat[place.statistics : place.statistics + entry.statistics_count].reshape(len(entry.items), -1)
    of_samples = numbers[:, len(BATCH_AGGREGATIONS) :].astype(np.float64)
    # The last statistics of some kinds are not there for single samples.
    of_samples = of_samples[~np.isnan(of_samples).all(axis=1)]
    return of_samples if of_samples.size and np.isfinite(of_samples).all() else None
