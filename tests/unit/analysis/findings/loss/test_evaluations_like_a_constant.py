"""The rule `predictions-ignore-input` for evaluations that are no better than a constant."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from comgra_export.analysis.findings.model.finding import Finding, Severity
from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.findings.rules.loss.predictions_ignore_input import RULE
from support.analysis.runs import Given, RunByHand, loss_call

TARGETS = np.linspace(-1, 1, 120)
VARIANCE = float(TARGETS.var())
TENSORS = [Given("out"), Given("target", "target"), Given("loss", "loss", parents=("out", "target"), batch=False)]


def _check(folder: Path, ratios: Sequence[float], *, last: int = 160, count: int = 120, training: float = 0.5) -> list[Finding]:
    """Six training steps up to the last, and as many evaluations as ratios of the loss to the variance of the targets."""
    written = RunByHand(folder, TENSORS)
    call = loss_call("mse_loss", "out", reduction="mean")
    evaluated = {int(last * (number + 1) / len(ratios)) + 1e-6: ratio for number, ratio in enumerate(ratios)}
    for step in sorted([*np.linspace(0, last, 6).astype(int).tolist(), *evaluated]):
        targets = TARGETS[:: 120 // count] if step in evaluated else TARGETS
        loss = evaluated.get(step, training) * float(targets.var())
        values = {"out": np.zeros(len(targets)), "target": targets, "loss": loss}
        if step in evaluated:
            written.step(step, values, training=False, losses=(call,))
        else:
            written.step(step, values, {"out": 0.1}, losses=(call,), backward_roots=(call.result,))
    return list(RULE.check(written.read()))


def test_evaluations_that_are_never_better_than_a_constant_are_a_symptom(tmp_path: Path) -> None:
    (finding,) = _check(tmp_path, [1.01, 1.2, 1.3])
    assert (finding.place.name, finding.severity, finding.limit) == ("out", Severity.SYMPTOM, 1.0)
    assert finding.value == pytest.approx(1.2, rel=1e-3)
    assert finding.message.startswith("In 3 evaluations, the loss is never below that of a prediction that is the same for all inputs")


@pytest.mark.parametrize(
    ("ratios", "count"),
    [([0.99, 1.2, 1.3], 120), ([1.2, 1.3], 120), ([1.2, 1.2, 1.2], 60)],
    ids=["once better", "two evaluations", "few targets"],
)
def test_evaluations_that_were_once_better_or_say_little_are_not_named(tmp_path: Path, ratios: Sequence[float], count: int) -> None:
    assert _check(tmp_path, ratios, count=count) == []


def test_a_short_run_says_nothing(tmp_path: Path) -> None:
    with pytest.raises(NotCheckedError, match="within 149 steps"):
        _check(tmp_path, [1.2] * 3, last=149)


def test_if_training_is_no_better_either_that_is_what_is_said(tmp_path: Path) -> None:
    (finding,) = _check(tmp_path, [1.2] * 3, training=1.0)
    assert "evaluations" not in finding.message
