"""Weights that stay where they are: from a step on, or since their updates are lost in rounding."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from comgra_export.analysis.findings.rules.gradients.schedules import LEAST_LATE, SHARE_OF_RUN
from comgra_export.analysis.findings.rules.parameters import moves, received_gradients
from comgra_export.analysis.findings.rules.steps import LEAST_STEPS, usual_training_steps
from comgra_export.analysis.findings.rules.weights import update_ratios, weight_histories
from comgra_export.analysis.history.parameters import ParameterHistory
from comgra_export.analysis.history.run import Run
from comgra_export.storage.text.steps import as_step

__all__ = ["ROUNDING", "ROUNDING_OF_HALF", "SHARE_OF_WEIGHTS", "RoundedAway", "Standstill", "has_no_gradient", "rounded_away", "standstill"]

ROUNDING = 2.0**-24
"""Half of the distance between two numbers of float32, relative to the larger of them: a smaller change leaves a weight as it is."""

ROUNDING_OF_HALF = {"BF16": 2.0**-9, "F16": 2.0**-12}
"""The same for half precision, by dtype."""

SHARE_OF_WEIGHTS = 0.8
"""So many of the weights must show it."""


class Standstill(NamedTuple):
    """The step from which on no weight changes, the weights, and the largest update of one from then on, relative to its size."""

    since: float
    weights: tuple[str, ...]
    largest: float


class RoundedAway(NamedTuple):
    """Weights in half precision whose updates are lost.

    Attributes:
        weights: Their names, the smallest updates first.
        dtype: Their dtype.
        step: The first step in which it is known.
        ratio: How large updates are, relative to the weights.
        of: Of how many weights they are.
        unchanged: Parameters, also of normalization, that get gradients and never change at all.
    """

    weights: tuple[str, ...]
    dtype: str
    step: float
    ratio: float
    of: int
    unchanged: tuple[str, ...]


def standstill(run: Run) -> Standstill | None:
    """The step from which on no weight changes any more, if more than half of the run comes after it."""
    histories = {name: history for name, history in weight_histories(run).items() if len(history.steps) >= LEAST_STEPS}
    begins = []
    for history in histories.values():
        # What is not known may be a change.
        changes = (~(history.update_norm <= ROUNDING * history.norm)).nonzero()[0]
        first = int(changes[-1]) + 1 if len(changes) else 0
        # It has changed before, and does not change outside the recorded steps either.
        if 0 < first < len(history.steps) and np.ptp(history.norm[first:]) <= ROUNDING * history.norm[first]:
            begins.append(as_step(history.steps[first]))
    if not begins or len(begins) < len(histories):
        return None
    since, last = max(begins), int(run.numbers[-1])
    if last - since <= SHARE_OF_RUN * last or (run.numbers[usual_training_steps(run)] >= since).sum() < LEAST_LATE:
        return None
    return Standstill(since, tuple(histories), max(_largest_change(history, since) for history in histories.values()))


def rounded_away(run: Run) -> RoundedAway | None:
    """Weights in half precision whose updates are smaller than the distance between two of their numbers."""
    half = {name: each for name, each in weight_histories(run).items() if each.entry.dtype in ROUNDING_OF_HALF}
    if not half or len(half) < SHARE_OF_WEIGHTS * len(weight_histories(run)):
        return None
    typical = {name: float(np.median(ratios)) for name, each in half.items() if len(ratios := update_ratios(each)[1]) >= LEAST_STEPS}
    lost = [
        name
        for name, ratio in sorted(typical.items(), key=lambda pair: pair[1])
        if ratio < ROUNDING_OF_HALF[half[name].entry.dtype] and not has_no_gradient(run, name)
    ]
    if not lost or len(lost) < SHARE_OF_WEIGHTS * len(half):
        return None
    first = half[lost[0]]
    ratio = float(np.median([typical[name] for name in lost]))
    unchanged = tuple(
        name
        for name, each in run.parameters.items()
        if each.entry.dtype in ROUNDING_OF_HALF and not moves(run, name) and not has_no_gradient(run, name)
    )
    return RoundedAway(tuple(lost), first.entry.dtype, as_step(first.steps[0]), ratio, len(half), unchanged)


def has_no_gradient(run: Run, name: str) -> bool:
    """Whether the gradient of a parameter is absent or exactly zero in most steps."""
    received = received_gradients(run, name)
    return bool(len(received)) and bool((received.largest == 0).mean() > 1 - SHARE_OF_WEIGHTS)


def _largest_change(history: ParameterHistory, since: float) -> float:
    """The largest update of a weight from a step on, relative to its size."""
    late = history.steps >= since
    sizes = np.maximum(history.norm[late], np.finfo(np.float32).tiny)
    return float(np.max(history.update_norm[late] / sizes, initial=0.0))
