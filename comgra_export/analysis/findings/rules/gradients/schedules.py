"""How the learning rate went over the steps, as far as it makes steps too small or too large."""

from __future__ import annotations

from math import isfinite
from typing import NamedTuple

import numpy as np

from comgra_export.analysis.findings.rules.steps import LEAST_STEPS
from comgra_export.analysis.history.run import Run

__all__ = [
    "DECAY",
    "ENDLESS",
    "LEAST_LATE",
    "LEAST_PAUSE",
    "SHARE_OF_RUN",
    "WARM",
    "Decay",
    "Pause",
    "Rise",
    "WarmUp",
    "early_decay",
    "endless_rise",
    "pause",
    "slow_warm_up",
]

DECAY = 1e-3
"""A learning rate below this part of the largest counts as none."""

SHARE_OF_RUN = 0.5
"""Training that ends so early, relative to the run, ends too early."""

LEAST_LATE = 3
"""So many recorded steps must show it."""

LEAST_PAUSE = 10
"""For so many training steps the learning rate may be 0 on purpose: a warm-up that begins at 0, or a cycle that ends there."""

WARM = 0.1
"""A warm-up that ends below this part of the rate that it leads to has hardly begun."""


ENDLESS = 5.0
"""A warm-up that goes on beyond so many times the rate that it is to lead to has no end."""

_EVEN = 2.0


class Decay(NamedTuple):
    """The step from which on the largest learning rate is small, that rate, and the largest of the run with its step."""

    since: float
    rate: float
    largest: float
    largest_step: float


class Pause(NamedTuple):
    """The first and the last of the recorded training steps without a learning rate, the next step, and the learning rate there."""

    first: float
    last: float
    next: float
    rate: float


class WarmUp(NamedTuple):
    """A warm-up that does not end within the run: the rate in the last recorded step, and that which it leads to."""

    rate: float
    goal: float


class Rise(NamedTuple):
    """A learning rate that rises without end: that in the last recorded step, the one it should lead to, and the first step beyond that."""

    rate: float
    goal: float
    since: float


def early_decay(run: Run) -> Decay | None:
    """The step from which on all learning rates are a small part of what they were, if more than half of the run comes after it."""
    known = _largest_rates(run)
    largest_step, largest = max(known, key=lambda row: row[1], default=(0, 0.0))
    above = [place for place, (_, rate) in enumerate(known) if rate >= DECAY * largest]
    late = known[above[-1] + 1 :] if above else []
    last = int(run.numbers[-1])
    if not largest > 0 or len(late) < LEAST_LATE or last - late[0][0] <= SHARE_OF_RUN * last:
        return None
    return Decay(*late[0], largest, largest_step)


def pause(run: Run) -> Pause | None:
    """The longest time in which all learning rates are exactly 0 and no weight changes, before a rate is not 0; None if it is short."""
    known = _largest_rates(run)
    zero = [0, *(int(rate == 0) for _, rate in known), 0]
    begins, ends = np.flatnonzero(np.diff(zero) == 1).tolist(), np.flatnonzero(np.diff(zero) == -1).tolist()
    pauses = [
        Pause(known[begin][0], known[end - 1][0], *known[end])
        for begin, end in zip(begins, ends, strict=True)
        if end - begin >= LEAST_STEPS and end < len(known)
    ]
    longest = max(pauses, key=lambda each: each.last - each.first, default=None)
    if longest is None or longest.last - longest.first < LEAST_PAUSE:
        return None
    changes = [
        history.update_norm[(history.steps >= longest.first) & (history.steps <= longest.last)] for history in run.parameters.values()
    ]
    return None if any((each > 0).any() for each in changes) else longest


def slow_warm_up(run: Run) -> WarmUp | None:
    """A learning rate that rises during the whole run, and is still a small part of that which schedules of PyTorch lead to.

    They keep that rate as the option `initial_lr` or `max_lr` of a group.
    """
    rates = [rate for _, rate in _largest_rates(run)]
    options = [group.options for optimizer in run.network.optimizers or () for group in optimizer.groups]
    goals = [goal for each in options for name in ("initial_lr", "max_lr") if isinstance(goal := each.get(name), int | float)]
    goal = max(goals, default=0.0)
    if len(rates) < LEAST_STEPS or not rates[0] < rates[-1] == max(rates) < WARM * goal:
        return None
    return WarmUp(rates[-1], goal)


def endless_rise(run: Run) -> Rise | None:
    """A learning rate that rises by even steps to the end of the run, far beyond the rate that the optimizer was given.

    Schedules of PyTorch keep that rate as the option `initial_lr` of a group. Those with the options `max_lr` or `max_momentum`, as of
    OneCycleLR and CyclicLR, rise on purpose, and so do rates that are multiplied in each step to find the largest one that works.
    """
    rows = _largest_rates(run)
    options = [group.options for optimizer in run.network.optimizers or () for group in optimizer.groups]
    goals = [goal for each in options if isinstance(goal := each.get("initial_lr"), int | float)]
    if len(rows) < LEAST_STEPS or not goals or any({"max_lr", "max_momentum"} & each.keys() for each in options):
        return None
    goal = max(goals)
    steps, rates = np.array(rows).T
    middle = int(np.searchsorted(steps, (steps[0] + steps[-1]) / 2))
    if not 0 < middle < len(rows) - 1 or (np.diff(rates) < 0).any() or not (np.diff(rates[middle:]) > 0).all():
        return None
    early, later = ((rates[b] - rates[a]) / (steps[b] - steps[a]) for a, b in ((0, middle), (middle, -1)))
    is_even = 0 < early <= _EVEN * later and later <= _EVEN * early
    if not is_even or not rates[-1] >= ENDLESS * goal > 0:
        return None
    return Rise(float(rates[-1]), goal, float(steps[np.argmax(rates > goal)]))


def _largest_rates(run: Run) -> list[tuple[float, float]]:
    """The numbers of the steps that know learning rates, and the largest of each."""
    # That of an optimizer that is gone is not known.
    rows = [(step.step, [rate for group in step.learning_rates or () for rate in group if isfinite(rate)]) for step in run.steps]
    return [(number, max(rates)) for number, rates in rows if rates]
