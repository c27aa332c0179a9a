"""A log_softmax of probabilities before `nll_loss`, and scores that are clamped: `softmax-before-cross-entropy`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from comgra_export.analysis.findings.rules.graph.softmax_before_cross_entropy import RULE
from support.analysis.runs import Given, RunByHand, loss_call

PROBABILITIES = np.array([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]])


def _log_softmax(values: np.ndarray) -> np.ndarray:
    result: np.ndarray = values - np.log(np.exp(values).sum(axis=1, keepdims=True))
    return result


@pytest.mark.parametrize("function", ["nll_loss", "kl_div"])
@pytest.mark.parametrize(
    ("operation", "between", "is_named"),
    [("SoftmaxBackward0", 1.0, True), ("SigmoidBackward0", 1.0, True), ("AddmmBackward0", 1.0, False), ("SoftmaxBackward0", 9.0, False)],
)
def test_a_log_softmax_of_probabilities_is_named(tmp_path: Path, function: str, operation: str, between: float, is_named: bool) -> None:
    """If the values were multiplied between the two, something that is not recorded lies there."""
    tensors = [Given("first", operation=operation), Given("out", operation="LogSoftmaxBackward0", parents=("first",))]
    written = RunByHand(tmp_path, tensors)
    values = {"first": PROBABILITIES, "out": _log_softmax(PROBABILITIES * between)}
    for step in range(2):
        written.step(step, values, losses=(loss_call(function, "out"),))
    findings = list(RULE.check(written.read()))
    assert [[place.name for place in finding.places] for finding in findings] == ([["first", "out"]] if is_named else [])


@pytest.mark.parametrize(("smallest", "is_named"), [(0.0, True), (-10.0, False)])
def test_scores_that_are_clamped_at_zero_are_named(tmp_path: Path, smallest: float, is_named: bool) -> None:
    written = RunByHand(tmp_path, [Given("out", operation="ClampBackward1")])
    scores = np.maximum([[2.0, -1.0, 0.5], [-12.0, 3.0, -0.3]], smallest)
    written.step(0, {"out": scores}, losses=(loss_call("cross_entropy", "out"),))
    assert [finding.place.name for finding in RULE.check(written.read())] == ["out"] * is_named
