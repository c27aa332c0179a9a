"""The rule `softmax-before-cross-entropy`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from comgra_export.analysis.findings.model.finding import Severity
from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.findings.rules.graph.softmax_before_cross_entropy import RULE
from comgra_export.analysis.history.run import Run
from support.analysis.runs import Given, RunByHand, loss_call

PROBABILITIES = np.array([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]])


def _run(tmp_path: Path, operation: str | None, values: object = PROBABILITIES, function: str = "cross_entropy", steps: int = 1) -> Run:
    written = RunByHand(tmp_path, [Given("out", operation=operation), Given("loss", "loss", parents=("out",), batch=False)])
    for step in range(steps):
        written.step(step, {"out": values, "loss": 1.0}, losses=(loss_call(function, "out"),))
    return written.read()


@pytest.mark.parametrize("operation", ["SoftmaxBackward0", "SigmoidBackward0", "ReluBackward0", "TanhBackward0", "softmax", "relu_"])
def test_an_activation_before_the_loss_is_named(tmp_path: Path, operation: str) -> None:
    (finding,) = RULE.check(_run(tmp_path, operation))
    assert (finding.place.name, finding.severity, finding.step) == ("out", Severity.BUG, 0)
    assert "cross_entropy" in finding.message


@pytest.mark.parametrize("operation", ["AddmmBackward0", "linear", None])
def test_logits_are_right(tmp_path: Path, operation: str | None) -> None:
    assert list(RULE.check(_run(tmp_path, operation, [[2.0, -1.0, 0.5], [0.1, 3.0, 1.0]], steps=4))) == []


def test_log_softmax_is_harmless(tmp_path: Path) -> None:
    (finding,) = RULE.check(_run(tmp_path, "LogSoftmaxBackward0", np.log(PROBABILITIES)))
    assert finding.severity == Severity.INFORMATION


def test_a_view_of_a_softmax_is_a_softmax(tmp_path: Path) -> None:
    tensors = [Given("probabilities", operation="SoftmaxBackward0"), Given("out", operation="ViewBackward0", parents=("probabilities",))]
    written = RunByHand(tmp_path, tensors)
    written.step(0, {"probabilities": PROBABILITIES, "out": PROBABILITIES}, losses=(loss_call("cross_entropy", "out"),))
    (finding,) = RULE.check(written.read())
    assert finding.place.name == "probabilities"


def test_a_view_of_something_that_was_computed_from_a_softmax_is_none(tmp_path: Path) -> None:
    tensors = [Given("probabilities", operation="SoftmaxBackward0"), Given("out", operation="ViewBackward0", parents=("probabilities",))]
    written = RunByHand(tmp_path, tensors)
    written.step(0, {"probabilities": PROBABILITIES, "out": 3 * PROBABILITIES - 1}, losses=(loss_call("cross_entropy", "out"),))
    assert list(RULE.check(written.read())) == []


def test_values_that_sum_to_1_in_three_steps_are_probabilities(tmp_path: Path) -> None:
    (finding,) = RULE.check(_run(tmp_path / "three", "DivBackward0", steps=3))
    assert "sum to 1" in finding.message
    assert list(RULE.check(_run(tmp_path / "two", "DivBackward0", steps=2))) == []


def test_sigmoid_before_the_loss_with_logits_is_named_and_tanh_is_not(tmp_path: Path) -> None:
    function = "binary_cross_entropy_with_logits"
    assert len(list(RULE.check(_run(tmp_path / "sigmoid", "SigmoidBackward0", function=function)))) == 1
    assert list(RULE.check(_run(tmp_path / "tanh", "TanhBackward0", function=function))) == []


def test_without_such_a_loss_nothing_is_checked(tmp_path: Path) -> None:
    with pytest.raises(NotCheckedError, match="functions that this rule checks were not used"):
        list(RULE.check(_run(tmp_path, "SoftmaxBackward0", function="mse_loss")))


def test_a_loss_whose_arguments_are_not_recorded_is_not_called_unused(tmp_path: Path) -> None:
    written = RunByHand(tmp_path, [Given("loss", "loss", batch=False)])
    written.step(0, {"loss": 1.0}, losses=(loss_call("cross_entropy", "somewhere else"),))
    with pytest.raises(NotCheckedError, match="what was passed to the loss function was not recorded"):
        list(RULE.check(written.read()))
