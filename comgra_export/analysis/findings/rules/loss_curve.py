"""What a run trains on: its loss over the steps, for rules that must know whether it fell."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from comgra_export.analysis.findings.rules.steps import LEAST_STEPS, values_in_training
from comgra_export.analysis.history.run import Curve, Run
from comgra_export.analysis.history.series import Floats, TensorKey

__all__ = [
    "StartAndEnd",
    "curve_of_training",
    "falls_from_the_start",
    "falls_to",
    "has_converged",
    "loss_at_start_and_end",
    "loss_of_training",
    "start_and_end",
]

_CONVERGED = 0.1
_FALLS, _RISES, _FIRST = 0.9, 1.1, 12


class StartAndEnd(NamedTuple):
    """The mean loss over the first 5 % of the steps, and over the last 20 %."""

    start: float
    end: float


def loss_at_start_and_end(run: Run) -> StartAndEnd | None:
    """The loss of training at the start and at the end; None if it is not recorded in five steps or more.

    The loss is the tensor at which backward passes began; else what a loss function returned; else the first tensor of the type `loss`;
    else the first curve with `loss` in its name that is not one of an evaluation.
    """
    values = _loss(run)
    return None if values is None else start_and_end(values)


def start_and_end(values: Floats) -> StartAndEnd | None:
    """The mean of the first 5 % and of the last 20 % of some values over the steps; None if fewer than five are finite."""
    values = values[np.isfinite(values)]
    if len(values) < LEAST_STEPS:
        return None
    first, last = max(1, round(len(values) * 0.05)), max(1, round(len(values) * 0.2))
    return StartAndEnd(float(values[:first].mean()), float(values[-last:].mean()))


def has_converged(run: Run) -> bool:
    """Whether the loss fell to less than a tenth of what it was, as `falls_to` says it."""
    return falls_to(run, _CONVERGED)


def falls_to(run: Run, share: float) -> bool:
    """Whether the loss fell below a share of what it was. False if it is not known, or was not positive at the start.

    What it was is its first value, if that is the lower one: the first steps may have made it larger.
    """
    values, loss = _loss(run), loss_at_start_and_end(run)
    if values is None or loss is None:
        return False
    start = min(float(values[np.isfinite(values)][0]), loss.start)
    return start > 0 and loss.end < share * start


def falls_from_the_start(run: Run) -> bool:
    """Whether the loss ends below 0.9 of its first value, and none of its first twelve values is above 1.1 of that. False if not known."""
    values, loss = _loss(run), loss_at_start_and_end(run)
    if values is None or loss is None:
        return False
    first = values[np.isfinite(values)][0]
    return bool(first > 0 and loss.end < _FALLS * first and (values[:_FIRST] <= _RISES * first).all())


def curve_of_training(run: Run) -> Curve | None:
    """The first curve that the script recorded with `loss` in its name that is not one of an evaluation."""
    for curve in run.curves:
        words = f"{curve.group} {curve.name} {curve.type}".lower()
        if "loss" in words and not any(word in words for word in ("val", "eval", "test")):
            return curve
    return None


def loss_of_training(run: Run) -> tuple[Floats, Floats] | None:
    """The steps with a loss, and its values, as `loss_at_start_and_end` takes it; None if it was not recorded."""
    roots = [TensorKey(*root) for step in run.steps for root in step.backward_roots[:1]]
    results = [TensorKey(*loss.result) for step in run.steps for loss in step.losses[:1] if loss.result is not None]
    for key in dict.fromkeys([*roots[:1], *results[:1], *run.of_type("loss")]):
        series = values_in_training(run, key)
        if series is not None:
            return series.steps, series.mean
    curve = curve_of_training(run)
    return None if curve is None else (curve.t, curve.values)


def _loss(run: Run) -> Floats | None:
    known = loss_of_training(run)
    return None if known is None else known[1]
