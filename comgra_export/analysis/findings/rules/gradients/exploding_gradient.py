"""Gradients are far larger than the weights that they change."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, Rule, Threshold
from comgra_export.analysis.findings.rules.loss_curve import falls_to, loss_at_start_and_end
from comgra_export.analysis.findings.rules.losses import REGRESSIONS, moment
from comgra_export.analysis.findings.rules.steps import (
    gradients_in_training,
    late,
    require_training_steps,
    usual_training_steps,
    values_in_training,
)
from comgra_export.analysis.findings.rules.weights import weights
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import Floats, Series, TensorKey
from comgra_export.storage.text.steps import as_step, step_in_words

__all__ = ["NORM", "RATIO", "RULE", "explodes_at_once"]

RATIO = 10.0
"""A gradient that is so many times as large as its weight explodes, if its norm is also above `NORM`."""

NORM = 100.0
_GROWTH = 100.0
_SMALLEST_WEIGHT = 1e-3
_FIRST_STEPS = 3
_WINDOWS = 5
# A loss that falls so far, or a gradient that does, shows that training copes with it.
_LEARNS = 0.8
_CALM = 0.1
_LATE = 0.4
# Targets that are so many times as large as the first predictions, and as 1, are far away.
_FAR = 10.0


class _FarAway(NamedTuple):
    target: TensorKey
    size: float
    of_prediction: float


class _Exploded(NamedTuple):
    ratio: float
    step: float
    key: TensorKey
    norm: float
    weight: float


def _check(run: Run) -> Iterator[Finding]:
    require_training_steps(run)
    loss = loss_at_start_and_end(run)
    is_below_zero = loss is not None and loss.start <= 0
    if falls_to(run, _LEARNS) or (loss is not None and is_below_zero and loss.end < _LEARNS * loss.start):
        return
    exploded = sorted(filter(None, (_explodes(run, TensorKey(name, -1)) for name in weights(run))), reverse=True)
    if not exploded:
        return
    worst = exploded[0]
    others = f" {len(exploded)} weights have such gradients." if len(exploded) > 1 else ""
    far = _targets_far_away(run)
    if far is not None:
        others += f" Targets have the mean magnitude {far.size:.3g}, and predictions begin at {far.of_prediction:.3g}."
    yield RULE.finding(
        f"The gradient of `{worst.key.name}` has the norm {worst.norm:.3g} at {step_in_words(worst.step)}. "
        f"That is {worst.ratio:.3g} times the norm of the weight.{others}",
        *(() if far is None else (Place("tensor", *far.target),)),
        *(Place("parameter", each.key.name) for each in exploded),
        step=min(each.step for each in exploded),
        value=worst.ratio,
        limit=RATIO,
        comparison=f"The norm of the weight is {worst.weight:.3g}.",
        evidence=(Evidence(run.gradient_groups[0], *worst.key, worst.step, "abs_mean", "The size of the gradient over the steps."),),
    )


def explodes_at_once(run: Run) -> bool:
    """Whether gradients of the first recorded training step explode, before updates could have made them large."""
    start = as_step(run.numbers[usual_training_steps(run)][0])
    return any(finding.step == start for finding in _check(run))


def _targets_far_away(run: Run) -> _FarAway | None:
    """The targets of a regression if they are far larger than the first predictions: then it is the loss that makes gradients large."""
    for position in np.flatnonzero(usual_training_steps(run)).tolist():
        for call in run.steps[position].losses:
            if call.function not in REGRESSIONS or call.target is None or call.prediction is None:
                continue
            target, prediction = (moment(run, TensorKey(*tensor), position) for tensor in (call.target, call.prediction))
            if target is None or prediction is None:
                continue
            size, of_prediction = float(target.absolute_mean[0]), float(prediction.absolute_mean[0])
            return _FarAway(TensorKey(*call.target), size, of_prediction) if size > _FAR * max(of_prediction, 1.0) else None
    return None


def _explodes(run: Run, key: TensorKey) -> _Exploded | None:
    gradient, weight = gradients_in_training(run, key), values_in_training(run, key)
    if gradient is None or weight is None:
        return None
    known = np.isin(gradient.steps, weight.steps) & gradient.is_finite
    gradient, weight = gradient.at(known), weight.at(np.isin(weight.steps, gradient.steps[known]))
    sizes = np.maximum(weight.norm, _SMALLEST_WEIGHT)
    is_large = np.nan_to_num((gradient.norm > RATIO * sizes) & (gradient.norm > NORM)).astype(bool)
    if not is_large.any() or not (is_large[:_FIRST_STEPS].any() or _keeps_growing(gradient.norm)) or _calms_down(gradient):
        return None
    at = int(np.argmax(np.where(is_large, gradient.norm / sizes, 0)))
    first = as_step(gradient.steps[np.argmax(is_large)])
    ratio = float(gradient.norm[at] / sizes[at])
    return _Exploded(ratio, first, key, float(gradient.norm[at]), float(weight.norm[at]))


def _calms_down(gradient: Series) -> bool:
    """Whether the gradient falls to a small part of its first size: it was large, and training coped. If it is zero, all units died."""
    return bool(0 < np.median(late(gradient, _LATE).norm) < _CALM * gradient.norm[:_FIRST_STEPS].max())


def _keeps_growing(norm: Floats) -> bool:
    """Whether the norm doubles from each fifth of the steps to the next, and grows a hundredfold in all."""
    if len(norm) < _WINDOWS:
        return False
    levels = np.array([np.median(window) for window in np.array_split(norm, _WINDOWS)])
    return bool((levels[1:] >= 2 * levels[:-1]).all() and levels[-1] > _GROWTH * levels[0])


RULE = Rule(
    name="exploding-gradient",
    title="Gradients are far larger than the weights",
    severity=Severity.PROBLEM,
    formula="norm(gradient) > 10 max(0.001, norm(weight)) and > 100, in one of the first three recorded steps, or when the norm doubled "
    "from each fifth of the steps to the next and grew more than a hundredfold; not if the loss fell below 80 % of its start, or the "
    "gradient below 10 %, but not to 0",
    source="AUTOTRAINER (ratio 70), TheDeepChecker (mean 1e6, or growth by 2)",
    needs="gradients and values of weights in 5 training steps",
    advice=(
        "Lower the learning rate, or clip the norm of the gradients.",
        "Scale inputs, targets and initial weights so that activations are near 1.",
        "Average the loss over the batch instead of summing it.",
    ),
    wrong_if="The loss goes on falling with the same learning rate.",
    check=_check,
    neighbours=("loss", "prediction", "target"),
    thresholds=(
        Threshold("ratio of the norms", RATIO, "AUTOTRAINER has 70"),
        Threshold("norm of the gradient", NORM, "own trials"),
        Threshold("growth in all", _GROWTH, "own trials"),
        Threshold("size of targets, relative to predictions, to be the place", _FAR, "own choice"),
    ),
    explains=(
        Explains("nan-origin"),
        Explains("diverging-loss"),
        Explains("oscillating-loss"),
        Explains("loss-does-not-fall"),
        Explains("gradient-spike"),
        Explains("always-clipped"),
        Explains("zero-gradient"),
        Explains("updates-too-small"),
        Explains("same-for-all-samples"),
        Explains("predictions-ignore-input"),
    ),
    priority=4,
)
