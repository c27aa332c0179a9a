"""The network is no better than one that gives the same answer for every input."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.losses import LossUse, loss_uses, moment, through_views
from comgra_export.analysis.findings.rules.steps import LEAST_STEPS
from comgra_export.analysis.findings.rules.supervised import RecordedLosses, constants_of, late_values, recorded_losses, value_of
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, TensorKey
from comgra_export.storage.text.steps import as_step

__all__ = ["RULE"]

_SHARE = Threshold(
    "loss / loss of a prediction that is the same for all inputs", 0.98, "own trials; a coefficient of determination of 0.02"
)
_EVALUATIONS = Threshold("evaluations", 3, "own choice")
_TARGETS = Threshold("targets of an evaluation, on average", 100, "own choice")
_LATE = 0.4
# The last recorded step of a run of 200 steps is 191 by default.
_SPAN = 150


def _check(run: Run) -> Iterator[Finding]:
    losses = recorded_losses(run, LEAST_STEPS, _SPAN)
    if not np.isfinite(losses.constant).all():
        raise NotCheckedError("it is not known what the loss of a prediction would be that is the same for all inputs")
    loss, constant = (float(late_values(values, _LATE).mean()) for values in (losses.values, losses.constant))
    if not constant > 0 or not loss >= _SHARE.value * constant:
        yield from _of_evaluations(run, losses)
        return
    prediction = through_views(run, losses.use.position, losses.use.prediction)
    yield RULE.finding(
        f"The loss is {loss:.3g} at the end. A prediction that is the same for all inputs would have a loss of about {constant:.3g}. "
        "It looks as if the predictions do not depend on the input in a useful way.",
        Place("tensor", *prediction),
        Place("loss", losses.key.name),
        step=_since(losses),
        value=loss / constant,
        limit=_SHARE.value,
        comparison="This is the ratio of the two.",
        evidence=(Evidence(FORWARD, *losses.key, as_step(losses.steps[-1]), "mean", "The loss over the steps."),),
    )


def _since(losses: RecordedLosses) -> int | float:
    """The first step after the loss was below that of such a prediction for the last time, on average over five recorded steps."""
    ratios = losses.values / losses.constant
    below = np.flatnonzero(np.convolve(ratios, np.full(LEAST_STEPS, 1 / LEAST_STEPS), "valid") < _SHARE.value)
    first = int(below[-1]) + LEAST_STEPS if len(below) else 0
    return as_step(losses.steps[min(first, len(ratios) - 1)])


def _of_evaluations(run: Run, losses: RecordedLosses) -> Iterator[Finding]:
    """Nothing was learned that holds for samples of evaluations, although the loss of training falls."""
    calls = [use for use in loss_uses(run, {losses.use.call.function}) if not run.is_training[use.position]]
    if not calls:
        return
    evaluations: dict[int, list[tuple[float, float]]] = {}
    for use, constant in constants_of(run, calls):
        # Those after the same training step belong together.
        evaluations.setdefault(int(use.step), []).append((value_of(run, use), constant))
    sums = {step: np.sum(pairs, axis=0) for step, pairs in evaluations.items()}
    ratios = {step: float(value / constant) for step, (value, constant) in sums.items() if constant > 0 and np.isfinite(value)}
    if len(ratios) < max(_EVALUATIONS.value, len(sums)) or _targets(run, calls) < _TARGETS.value * len(ratios):
        return
    if min(ratios.values()) < 1 or max(ratios) - losses.steps[0] < _SPAN:
        return
    first = calls[0]
    prediction = through_views(run, first.position, first.prediction)
    worst = float(np.median(list(ratios.values())))
    yield RULE.finding(
        f"In {len(ratios)} evaluations, the loss is never below that of a prediction that is the same for all inputs: it is {worst:.3g} "
        "times as high. So nothing that was learned holds for these samples, although the loss of training falls. Check that targets "
        "belong to their inputs, in training and in evaluation.",
        Place("tensor", *prediction),
        Place("loss", losses.key.name),
        step=min(ratios),
        value=worst,
        limit=1.0,
        comparison="This is the ratio of the two, the median over evaluations.",
        evidence=(Evidence(FORWARD, *losses.key, as_step(losses.steps[-1]), "mean", "The loss over the steps."),),
    )


def _targets(run: Run, calls: list[LossUse]) -> int:
    """How many targets some calls have."""
    moments = [moment(run, TensorKey(*use.call.target), use.position) for use in calls if use.call.target is not None]
    return sum(int(each.sizes[0]) for each in moments if each is not None)


RULE = Rule(
    name="predictions-ignore-input",
    title="Predictions are no better than the same answer for all inputs",
    severity=Severity.SYMPTOM,
    formula="mean loss over the last 40 % of training >= 0.98 times that of a prediction that is the same for all inputs: the shares of "
    "the classes, or the mean of the targets. Over 150 steps, for a mean loss without weights; since the last five recorded steps with a "
    "lower mean. Or no evaluation has a loss below that, of "
    "at least 3 with 100 targets",
    source="Karpathy's recipe (input-independent baseline), TheDeepChecker",
    needs="calls of cross_entropy, binary cross entropy or mse_loss with targets, in 5 training steps; histograms of classes",
    advice=("Check that targets belong to their inputs.", "Look for layers that do not learn.", "Train longer, if the task is hard."),
    wrong_if="The loss rises when the inputs of a batch are exchanged between its samples.",
    check=_check,
    neighbours=("target", "input", "loss"),
    thresholds=(_SHARE, _EVALUATIONS, _TARGETS),
    explains=(Explains("loss-does-not-fall"), Explains("dead-relu", "upstream"), Explains("dormant-units", "upstream")),
    priority=5,
    follows_anything=True,
)
