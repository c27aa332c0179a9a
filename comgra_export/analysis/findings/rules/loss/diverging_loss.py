"""The loss ends higher than it began."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, Rule, Threshold
from comgra_export.analysis.findings.rules.steps import LEAST_STEPS
from comgra_export.analysis.findings.rules.supervised import recorded_losses
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD
from comgra_export.storage.text.steps import as_step, step_in_words

__all__ = ["RULE"]

_RATIO = Threshold("loss at the end / loss at the start", 1.5, "trials on 110 small programs")
_LATE = 0.4
_LEAST_LATE = 2


def _check(run: Run) -> Iterator[Finding]:
    losses = recorded_losses(run, LEAST_STEPS, 0)
    is_finite = np.isfinite(losses.values)
    values, steps, constant = losses.values[is_finite], losses.steps[is_finite], losses.constant[is_finite]
    if len(values) < LEAST_STEPS:
        return
    start = float(values[: max(1, round(len(values) * 0.05))].mean())
    # Worse than at the start, and worse than a network that ignores its input.
    limit = _RATIO.value * np.fmax(start, constant)
    # The end is that of the training: most recorded steps are early ones.
    late = np.flatnonzero(steps > steps[-1] - _LATE * (steps[-1] - steps[0]))
    if not start > 0 or len(late) < _LEAST_LATE or not (values[late] > limit[late]).all():
        return
    above = np.flatnonzero(values <= limit)
    since = as_step(steps[above[-1] + 1 if len(above) else 0])
    end = float(np.median(values[late]))
    yield RULE.finding(
        f"The loss is {end:.3g} at the end, and {start:.3g} at the start. It stays higher from {step_in_words(since)} on.",
        Place("loss", losses.key.name),
        step=since,
        value=end / start,
        limit=_RATIO.value,
        comparison="This is the ratio of the two.",
        evidence=(Evidence(FORWARD, *losses.key, since, "mean", "The loss over the steps."),),
    )


RULE = Rule(
    name="diverging-loss",
    title="The loss is higher at the end than at the start",
    severity=Severity.PROBLEM,
    formula="loss in each recorded step of the last 40 % of the training > 1.5 times that over the first 5 %, and > 1.5 times that of a "
    "network that ignores its input, if this is known. Only for a loss function of predictions and given targets",
    source="own trials; SageMaker Debugger (LossNotDecreasing), TheDeepChecker (diverging loss)",
    needs="calls of loss functions in 5 training steps",
    advice=("Lower the learning rate.", "Check the sign of the loss.", "Clip the norm of the gradients."),
    wrong_if="The loss falls below where it began when the run goes on, or later steps have a harder task.",
    check=_check,
    neighbours=("target", "input", "prediction"),
    thresholds=(_RATIO,),
    explains=(Explains("predictions-ignore-input"), Explains("oscillating-loss"), Explains("loss-does-not-fall")),
    priority=6,
    follows_anything=True,
)
