"""The rule `class-numbers-as-target`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from comgra_export.analysis.findings.model.finding import Severity
from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.findings.rules.data.class_numbers_as_target import RULE
from comgra_export.analysis.history.run import Run
from support.analysis.runs import Given, RunByHand, loss_call

TENSORS = [
    Given("output", operation="AddmmBackward0"),
    Given("target", "target"),
    Given("loss", "loss", operation="MseLossBackward0", parents=("output", "target"), batch=False),
]


def _run(tmp_path: Path, targets: Sequence[float], function: str = "mse_loss", steps: int = 5) -> Run:
    """Every step has the same targets in another order."""
    written = RunByHand(tmp_path, TENSORS)
    for step in range(steps):
        values = {"output": np.zeros((len(targets), 1)), "target": np.roll(targets, step)[:, None], "loss": 1.0}
        calls = (loss_call(function, "output", reduction="mean"),)
        written.step(step, values, {"loss": 1.0}, losses=calls, backward_roots=(calls[0].result,))
    return written.read()


def test_whole_numbers_from_zero_on_are_mentioned(tmp_path: Path) -> None:
    (finding,) = RULE.check(_run(tmp_path, [0, 1, 2, 2, 1, 1, 0, 2]))
    assert (finding.place.name, finding.severity) == ("target", Severity.INFORMATION)
    assert "whole numbers from 0 to 2" in finding.message


@pytest.mark.parametrize(
    ("targets", "severity"),
    [
        ([0, 1, 2, 3, 4] * 8, Severity.SYMPTOM),
        # The deviation is 1.34, and that of five equally frequent classes 1.41; then it is 1.18.
        ([0] * 7 + [1] * 8 + [2] * 10 + [3] * 8 + [4] * 7, Severity.SYMPTOM),
        ([0] * 5 + [1] * 8 + [2] * 14 + [3] * 8 + [4] * 5, Severity.INFORMATION),
        # The mean is 1.6, and not 2.
        ([0] * 12 + [1] * 8 + [2] * 8 + [3] * 8 + [4] * 4, Severity.INFORMATION),
        ([0, 1, 2, 3, 4] * 7, Severity.INFORMATION),
    ],
    ids=["equally frequent", "nearly", "less so", "smaller ones", "too few targets"],
)
def test_numbers_that_are_equally_frequent_look_like_classes(tmp_path: Path, targets: list[float], severity: Severity) -> None:
    (finding,) = RULE.check(_run(tmp_path, targets))
    assert finding.severity == severity


@pytest.mark.parametrize(
    "targets",
    [
        [0, 1, 1, 0, 1, 1, 0, 1],
        [1, 2, 3, 3, 2, 2, 1, 3],
        [0, 1.5, 1.5, 2, 1, 1, 0, 2],
        [0, 1, 20, 2, 1, 1, 0, 2],
        [0, 1, 2, 2, 1, 1, 0],
    ],
    ids=["two classes", "grades from 1 on", "sums that are whole, and squares that are not", "too many", "too few targets"],
)
def test_anything_else_is_not(tmp_path: Path, targets: list[float]) -> None:
    assert list(RULE.check(_run(tmp_path, targets))) == []


def test_nineteen_is_the_largest_class(tmp_path: Path) -> None:
    assert len(list(RULE.check(_run(tmp_path, [0, 1, 19, 2, 1, 1, 0, 2])))) == 1


def test_classes_that_are_classified_are_right(tmp_path: Path) -> None:
    with pytest.raises(NotCheckedError):
        list(RULE.check(_run(tmp_path, [0, 1, 2, 2, 1, 1, 0, 2], "binary_cross_entropy_with_logits")))
