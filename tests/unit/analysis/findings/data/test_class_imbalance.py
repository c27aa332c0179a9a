"""The rule `class-imbalance`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from comgra_export.analysis.findings.model.finding import Finding, Severity
from comgra_export.analysis.findings.rules.data.class_imbalance import RULE
from support.analysis.runs import Given, RunByHand, loss_call


def _check(
    folder: Path, targets: Sequence[float], function: str = "cross_entropy", steps: int = 5, weight: str | None = None
) -> list[Finding]:
    """The findings for some steps with the same targets."""
    is_class = function == "cross_entropy"
    tensors = [
        Given("out"),
        Given("target", "target", dtype="I16" if is_class else "F32", histogram=True),
        Given("loss", "loss", parents=("out", "target"), batch=False),
    ]
    written = RunByHand(folder, tensors)
    for step in range(steps):
        values = {"out": np.zeros((len(targets), 3 if is_class else 1)), "target": np.array(targets), "loss": 1.0}
        call = loss_call(function, "out", reduction="mean", weight=weight, pos_weight=None)
        written.step(step, values, {"loss": 1.0}, losses=(call,), backward_roots=(call.result,))
    return list(RULE.check(written.read()))


def test_a_class_that_nearly_all_targets_have_is_mentioned(tmp_path: Path) -> None:
    # 96 of 100 in each of 5 steps.
    (finding,) = _check(tmp_path, [2] * 96 + [0, 0, 1, 1])
    assert (finding.place.name, finding.severity) == ("target", Severity.INFORMATION)
    assert finding.value == pytest.approx(0.96)
    assert "96.0% of the 500 recorded targets of cross_entropy are 2" in finding.message


@pytest.mark.parametrize(("ones", "count"), [(4, 1), (5, 0), (96, 1)])
def test_targets_of_a_binary_cross_entropy_count_as_two_classes(tmp_path: Path, ones: int, count: int) -> None:
    findings = _check(tmp_path, [1.0] * ones + [0.0] * (100 - ones), "binary_cross_entropy_with_logits")
    assert [finding.value for finding in findings] == [pytest.approx(max(ones, 100 - ones) / 100)] * count


@pytest.mark.parametrize(
    ("targets", "function", "steps", "weight"),
    [
        # At the limit, and not beyond it.
        ([2] * 95 + [0, 0, 1, 1, 1], "cross_entropy", 5, None),
        # All of one class are another finding.
        ([2] * 100, "cross_entropy", 5, None),
        # 39 targets in 5 steps are 195.
        ([2] * 38 + [0], "cross_entropy", 5, None),
        # The script knows.
        ([2] * 96 + [0, 0, 1, 1], "cross_entropy", 5, "a tensor"),
        # Probabilities are no classes.
        ([0.0] * 96 + [0.3] * 4, "binary_cross_entropy_with_logits", 5, None),
        ([], "binary_cross_entropy_with_logits", 5, None),
    ],
    ids=["95 of 100", "one class", "few", "weights", "probabilities", "empty batches"],
)
def test_other_targets_are_not(tmp_path: Path, targets: Sequence[float], function: str, steps: int, weight: str | None) -> None:
    assert _check(tmp_path, targets, function, steps, weight) == []
