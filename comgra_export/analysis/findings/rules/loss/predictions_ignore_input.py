"""The network is no better than one that gives the same answer for every input."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.losses import through_views
from comgra_export.analysis.findings.rules.steps import LEAST_STEPS
from comgra_export.analysis.findings.rules.supervised import late_values, recorded_losses
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD
from comgra_export.storage.text.steps import as_step

__all__ = ["RULE"]

_SHARE = Threshold(
    "loss / loss of a prediction that is the same for all inputs", 0.98, "own trials; a coefficient of determination of 0.02"
)
_LATE = 0.4
# The last recorded step of a run of 200 steps is 191 by default.
_SPAN = 150


def _check(run: Run) -> Iterator[Finding]:
    losses = recorded_losses(run, LEAST_STEPS, _SPAN)
    if not np.isfinite(losses.constant).all():
        raise NotCheckedError("it is not known what the loss of a prediction would be that is the same for all inputs")
    loss, constant = (float(late_values(values, _LATE).mean()) for values in (losses.values, losses.constant))
    if not constant > 0 or not loss >= _SHARE.value * constant:
        return
    prediction = through_views(run, losses.use.position, losses.use.prediction)
    yield RULE.finding(
        f"The loss is {loss:.3g} at the end. A prediction that is the same for all inputs would have a loss of about {constant:.3g}. "
        "It looks as if the predictions do not depend on the input in a useful way.",
        Place("tensor", *prediction),
        Place("loss", losses.key.name),
        step=as_step(losses.steps[0]),
        value=loss / constant,
        limit=_SHARE.value,
        comparison="This is the ratio of the two.",
        evidence=(Evidence(FORWARD, *losses.key, as_step(losses.steps[-1]), "mean", "The loss over the steps."),),
    )


RULE = Rule(
    name="predictions-ignore-input",
    title="Predictions are no better than the same answer for all inputs",
    severity=Severity.SYMPTOM,
    formula="mean loss over the last 40 % of the recorded training steps >= 0.98 times the loss in these steps of a prediction that is the "
    "same for all inputs: the shares of the classes, or the mean of the targets. Over 150 steps, for a mean loss without weights",
    source="Karpathy's recipe (input-independent baseline), TheDeepChecker",
    needs="calls of cross_entropy, binary cross entropy or mse_loss with targets, in 5 training steps; histograms of classes",
    advice=("Check that targets belong to their inputs.", "Look for layers that do not learn.", "Train longer, if the task is hard."),
    wrong_if="The loss rises when the inputs of a batch are exchanged between its samples.",
    check=_check,
    thresholds=(_SHARE,),
    explains=(Explains("loss-does-not-fall"),),
    priority=5,
    follows_anything=True,
)
