"""The rule `initial-loss` for regressions, and what counts as the loss at the start."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from comgra_export.analysis.findings.rules.loss.initial_loss import RULE
from comgra_export.analysis.findings.rules.loss_curve import has_converged
from comgra_export.analysis.history.run import Run
from comgra_export.storage import TensorReference
from support.analysis.runs import Given, RunByHand, loss_call

TENSORS = [
    Given("out", operation="AddmmBackward0"),
    Given("target", "target"),
    Given("loss", "loss", parents=("out", "target"), batch=False),
]
SIGNS = np.array([[1.0], [-1.0]] * 4)


def _run(tmp_path: Path, losses: list[float], target: float = 150.0, prediction: float = 0.1, function: str = "mse_loss") -> Run:
    written = RunByHand(tmp_path, TENSORS)
    for step, loss in enumerate(losses):
        values = {"out": prediction * SIGNS, "target": target * SIGNS, "loss": loss}
        written.step(step, values, {}, losses=(loss_call(function, "out"),), backward_roots=(TensorReference("loss", 0),))
    return written.read()


@pytest.mark.parametrize(
    ("target", "prediction", "end", "is_named"),
    [(101, 0.1, 0.6, True), (99, 0.1, 0.6, False), (250, 2.4, 0.6, True), (250, 2.6, 0.6, False), (101, 0.1, 0.4, False)],
    ids=["large", "not large enough", "larger predictions", "predictions of that size", "a loss that is halved"],
)
@pytest.mark.parametrize("function", ["mse_loss", "l1_loss"])
def test_targets_that_are_far_larger_than_predictions(
    tmp_path: Path, function: str, target: float, prediction: float, end: float, is_named: bool
) -> None:
    run = _run(tmp_path, [1.0] * 5 + [end] * 5, target, prediction, function)
    findings = list(RULE.check(run))
    assert [(finding.place.name, finding.step) for finding in findings] == [("target", 0)] * is_named


@pytest.mark.parametrize(("start", "is_lower"), [(2.0, False), (0.9, False), (25.0, True)])
def test_a_loss_that_the_first_steps_made_larger_has_not_converged(tmp_path: Path, start: float, is_lower: bool) -> None:
    """The mean of the first two of 40 values is more than ten times the end in all three."""
    assert has_converged(_run(tmp_path, [start, 40.0] + [1.0] * 38)) == is_lower
