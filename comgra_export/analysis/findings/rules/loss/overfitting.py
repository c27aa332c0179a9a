"""The loss of evaluation rises while that of training falls."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.losses import LossUse, loss_uses, moment
from comgra_export.analysis.findings.rules.steps import LEAST_STEPS
from comgra_export.analysis.findings.rules.supervised import late_values, recorded_losses, value_of
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, Floats, TensorKey
from comgra_export.storage.text.steps import as_step, step_in_words

__all__ = ["RULE"]

_RISE = Threshold("loss of evaluation at the end / at its lowest", 1.2, "own trials; SageMaker Debugger: 1.1")
_RISE_OF_BATCHES = Threshold("the same, if evaluations differ in their batches", 1.5, "own trials")
_GAP = Threshold("loss of evaluation / loss of training, at the end", 1.5, "own trials")
_LAST = 3


def _check(run: Run) -> Iterator[Finding]:
    losses = recorded_losses(run, LEAST_STEPS, 0)
    calls = loss_uses(run, {losses.use.call.function})
    uses = [use for use in calls if not run.is_training[use.position] and np.isfinite(value_of(run, use))]
    steps = np.array([use.step for use in uses], np.float64)
    values = np.array([value_of(run, use) for use in uses])
    if len(values) < LEAST_STEPS:
        raise NotCheckedError(f"the loss was recorded in {len(values)} evaluations, and it needs {LEAST_STEPS}", lacks="evaluations")
    limit = (_RISE if _is_same_set(run, uses) else _RISE_OF_BATCHES).value
    lowest, last = int(np.argmin(values)), values[-_LAST:]
    if lowest >= len(values) - _LAST or not (last > limit * values[lowest]).all() or not values[lowest] > 0:
        return
    training = float(late_values(losses.values, 0.2).mean())
    if not training < _loss_at(losses.steps, losses.values, steps[lowest]) or not last.mean() > _GAP.value * training:
        return
    key = uses[lowest].call.result
    place = losses.key if key is None else TensorKey(*key)
    yield RULE.finding(
        f"The loss of evaluation is {last.mean():.3g} at the end, and was {values[lowest]:.3g} in {step_in_words(steps[lowest])}. "
        "That of training "
        f"is {training:.3g}.",
        Place("loss", place.name),
        step=as_step(steps[lowest]),
        value=float(last.mean() / values[lowest]),
        limit=limit,
        comparison=f"This is the ratio to the lowest loss of evaluation, {values[lowest]:.3g}.",
        evidence=(Evidence(FORWARD, *place, as_step(steps[lowest]), "mean", "The loss over the steps."),),
    )


def _is_same_set(run: Run, uses: list[LossUse]) -> bool:
    """Whether all evaluations have the same targets, as far as statistics show it."""
    moments = [None if use.call.target is None else moment(run, TensorKey(*use.call.target), use.position) for use in uses]
    means = {None if each is None else float(each.mean[0]) for each in moments}
    return len(means) == 1 and None not in means


def _loss_at(steps: Floats, values: Floats, step: float) -> float:
    """The loss of training around a step: the mean of the recorded values nearest to it."""
    nearest = np.argsort(np.abs(steps - step), kind="stable")[:2]
    return float(values[nearest].mean())


RULE = Rule(
    name="overfitting",
    title="The loss of evaluation rises while that of training falls",
    severity=Severity.SYMPTOM,
    formula=(
        "the last 3 losses of evaluation > 1.2 times the lowest one before (1.5 times, if their targets differ), their mean > 1.5 times "
        "the loss of training, and that fell since. Only for a loss function of predictions and given targets"
    ),
    source="SageMaker Debugger (Overfit); limits of own trials",
    needs="calls of the same loss function in 5 training steps and in 5 evaluations",
    advice=("Stop training earlier.", "Use more data, augmentation, dropout or weight decay.", "Use a smaller network."),
    wrong_if="Another set of samples for evaluation gives a loss that goes on falling.",
    check=_check,
    neighbours=("target", "input", "prediction"),
    thresholds=(_RISE, _RISE_OF_BATCHES, _GAP),
    priority=6,
)
