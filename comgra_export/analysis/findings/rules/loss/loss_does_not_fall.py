"""The loss stays where it was at the start."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.contrastive import contrastive_losses
from comgra_export.analysis.findings.rules.steps import LEAST_STEPS
from comgra_export.analysis.findings.rules.supervised import RecordedLosses, late_values, recorded_losses
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD
from comgra_export.storage.text.steps import as_step

__all__ = ["RULE"]

_LOWEST = Threshold("loss at the end / loss at the start", 0.97, "trials on 110 small programs; TheDeepChecker: 5 % in 5 windows")
_HIGHEST = 1.5
_EACH = 0.9
_CONVERGED = 0.5
_SPAN = 100


def _check(run: Run) -> Iterator[Finding]:
    losses = _losses(run)
    start = float(losses.values[: max(1, round(len(losses.values) * 0.05))].mean())
    end = float(late_values(losses.values, 0.2).mean())
    constant = float(losses.constant[0])
    started_converged = np.isfinite(constant) and start < _CONVERGED * constant
    if started_converged or not start > 0 or not _LOWEST.value * start <= end <= _HIGHEST * start:
        return
    if (late_values(losses.values, 0.4) < _EACH * start).any():
        return
    yield RULE.finding(
        f"The loss is {end:.3g} at the end, and {start:.3g} at the start: it does not fall.",
        Place("loss", losses.key.name),
        step=as_step(losses.steps[0]),
        value=end / start,
        limit=_LOWEST.value,
        comparison="This is the ratio of the two. It falls in training that works.",
        evidence=(Evidence(FORWARD, *losses.key, as_step(losses.steps[-1]), "mean", "The loss over the steps."),),
    )


def _losses(run: Run) -> RecordedLosses:
    try:
        return recorded_losses(run, LEAST_STEPS, _SPAN)
    except NotCheckedError as reason:
        try:
            return contrastive_losses(run, LEAST_STEPS, _SPAN)
        except NotCheckedError:
            raise reason from None


RULE = Rule(
    name="loss-does-not-fall",
    title="The loss does not fall",
    severity=Severity.SYMPTOM,
    formula=(
        "loss over the last 20 % of the recorded training steps >= 0.97 and <= 1.5 times that over the first 5 %, none of the last 40 % "
        "below 0.9 times, over 100 steps. Only for a loss function of predictions and given targets, which is not low at the start, or "
        "for contrastive cross entropies alone"
    ),
    source="SageMaker Debugger (LossNotDecreasing); limits of own trials",
    needs="calls of loss functions in 5 training steps",
    advice=(
        "Look at the other findings first.",
        "Check that targets belong to their inputs.",
        "Train on one batch only: the loss must fall to almost 0.",
    ),
    wrong_if="The loss falls almost to 0 when a single batch is repeated, and falls when the run goes on.",
    check=_check,
    neighbours=("target", "input", "prediction"),
    thresholds=(_LOWEST,),
    priority=7,
    follows_anything=True,
)
