"""The loss goes up and down instead of falling."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.loss_curve import curve_of_training
from comgra_export.analysis.findings.rules.supervised import recorded_losses
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD
from comgra_export.storage.text.steps import as_step

__all__ = ["RULE"]

_TURNS = Threshold("share of changes of direction", 0.5, "AUTOTRAINER")
_AMPLITUDE = Threshold("median change between blocks / median loss", 0.2, "own trials; AUTOTRAINER: 0.03")
_LEAST_POINTS = 100
_POINTS_PER_BLOCK = 10
_LATE = 0.5
_CONVERGED = 0.25


def _check(run: Run) -> Iterator[Finding]:
    losses = recorded_losses(run, 1, 0)
    curve = curve_of_training(run)
    values = losses.values if curve is None or len(losses.values) >= len(curve.values) else curve.values
    values = values[np.isfinite(values)]
    if len(values) < _LEAST_POINTS:
        raise NotCheckedError(f"the loss is known at {len(values)} points, and it needs {_LEAST_POINTS}", lacks="training steps")
    blocks = values[: len(values) // _POINTS_PER_BLOCK * _POINTS_PER_BLOCK].reshape(-1, _POINTS_PER_BLOCK).mean(axis=1)
    late = blocks[-max(5, round(len(blocks) * _LATE)) :]
    changes = np.diff(late)
    level = float(np.median(late))
    turns = float((np.sign(changes[1:]) != np.sign(changes[:-1])).mean())
    amplitude = float(np.median(np.abs(changes))) / level if level > 0 else 0.0
    if level < _CONVERGED * float(blocks[0]) or turns <= _TURNS.value or amplitude <= _AMPLITUDE.value:
        return
    yield RULE.finding(
        f"The loss goes up and down by about {amplitude:.0%} between blocks of {_POINTS_PER_BLOCK} points, and does not settle.",
        Place("loss", losses.key.name),
        step=as_step(losses.steps[0]),
        value=amplitude,
        limit=_AMPLITUDE.value,
        comparison="In training that works, the means of 10 batches differ by a few percent.",
        evidence=(Evidence(FORWARD, *losses.key, as_step(losses.steps[-1]), "mean", "The loss over the steps."),),
    )


RULE = Rule(
    name="oscillating-loss",
    title="The loss goes up and down",
    severity=Severity.SYMPTOM,
    formula=(
        "over the second half of the points, in blocks of 10: the direction changes in more than half of the places, and the median "
        "change > 20 % of the median loss, which is >= a quarter of that at the start. Only for a loss function of "
        "predictions and given targets"
    ),
    source="AUTOTRAINER (oscillating loss); limits of own trials",
    needs="100 points of the loss: recorded steps, or a curve of the script",
    advice=("Lower the learning rate.", "Use larger batches."),
    wrong_if="The loss over the whole data set falls steadily.",
    check=_check,
    neighbours=("target", "input", "prediction"),
    thresholds=(_TURNS, _AMPLITUDE),
    priority=7,
    follows_anything=True,
)
