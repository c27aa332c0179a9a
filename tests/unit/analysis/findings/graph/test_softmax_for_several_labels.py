"""The rule `softmax-for-several-labels`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from comgra_export.analysis.findings.rules.graph.softmax_for_several_labels import RULE
from comgra_export.analysis.history.run import Run
from support.analysis.runs import Given, RunByHand, loss_call

# Rows sum to 1.
PROBABILITIES = np.tile([0.7, 0.1, 0.1, 0.1], (2, 1))
ONE_LABEL = np.eye(4)[:2]


def _run(
    tmp_path: Path, function: str, targets: np.ndarray, operation: str = "SoftmaxBackward0", predicted: np.ndarray = PROBABILITIES
) -> Run:
    tensors = [
        Given("output", operation=operation),
        Given("target", "target"),
        Given("loss", "loss", parents=("output", "target"), batch=False),
    ]
    written = RunByHand(tmp_path, tensors)
    written.step(0, {"output": predicted, "target": targets, "loss": 1.0}, losses=(loss_call(function, "output"),))
    return written.read()


@pytest.mark.parametrize(("function", "operation"), [("cross_entropy", "AddmmBackward0"), ("binary_cross_entropy", "SoftmaxBackward0")])
def test_a_sample_with_three_labels_is_named(tmp_path: Path, function: str, operation: str) -> None:
    (finding,) = RULE.check(_run(tmp_path, function, np.array([[1.0, 0, 0, 0], [1, 1, 1, 0]]), operation))
    assert [place.name for place in finding.places] == ["output", "target"]
    assert finding.value == pytest.approx(3)
    assert "sum to up to 3" in finding.message


@pytest.mark.parametrize(("sum_of_last", "count"), [(1.48, 0), (1.52, 1)])
def test_the_limit_is_one_label_and_a_half(tmp_path: Path, sum_of_last: float, count: int) -> None:
    targets = np.array([[1.0, 0, 0, 0], [sum_of_last / 2, sum_of_last / 2, 0, 0]])
    assert len(list(RULE.check(_run(tmp_path, "cross_entropy", targets)))) == count


@pytest.mark.parametrize(
    ("function", "targets", "operation"),
    [
        ("cross_entropy", ONE_LABEL, "AddmmBackward0"),
        ("binary_cross_entropy", np.array([[1.0, 1, 0, 0], [1, 1, 1, 0]]), "SigmoidBackward0"),
        ("mse_loss", np.array([[1.0, 1, 0, 0], [1, 1, 1, 0]]), "AddmmBackward0"),
        ("mse_loss", np.array([[5.0, -4, 0, 0], [1, 0, 0, 0]]), "SoftmaxBackward0"),
    ],
    ids=["one label", "a sigmoid", "no softmax", "numbers"],
)
def test_anything_else_is_right(tmp_path: Path, function: str, targets: np.ndarray, operation: str) -> None:
    assert list(RULE.check(_run(tmp_path, function, targets, operation))) == []


def test_a_softmax_over_the_samples_is_no_choice_among_classes(tmp_path: Path) -> None:
    """Columns sum to 1, and not rows."""
    predicted = np.array([[0.9, 0.9, 0.1, 0.5], [0.1, 0.1, 0.9, 0.5]])
    assert list(RULE.check(_run(tmp_path, "binary_cross_entropy", np.ones((2, 4)), predicted=predicted))) == []


def test_in_contrastive_learning_several_samples_may_be_right(tmp_path: Path) -> None:
    pairs = np.kron(np.eye(4), np.ones((2, 2)))
    assert list(RULE.check(_run(tmp_path, "cross_entropy", pairs, "MmBackward0", np.zeros((8, 8))))) == []
