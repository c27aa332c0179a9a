"""The rule `constant-target`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from comgra_export.analysis.findings.model.finding import Finding
from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.findings.rules.data.constant_target import RULE
from comgra_export.storage import TensorReference
from support.analysis.runs import Given, RunByHand, loss_call

FUNCTION = "binary_cross_entropy_with_logits"


def _check(
    folder: Path,
    targets: Sequence[Sequence[float]],
    function: str = FUNCTION,
    operation: str = "AddmmBackward0",
    columns: int = 1,
    root: str = "loss",
) -> list[Finding]:
    """Steps of two calls for the results of one layer, say for real and for fake samples. Each row has the targets of all calls."""
    tensors = [
        Given("real", operation=operation, module="judge"),
        Given("fake", operation=operation, module="judge"),
        *(Given(f"{name} target", "target") for name in ("real", "fake")),
        Given("loss", "loss", parents=("real", "fake"), batch=False),
        Given("sum", operation="AddBackward0", parents=("loss",), batch=False),
    ]
    written = RunByHand(folder, tensors, {"judge": "Linear"})
    for step, (real, fake) in enumerate(targets):
        values = {"real target": np.full((20, 1), real), "fake target": np.full((20, 1), fake), "loss": 1.0, "sum": 2.0}
        outputs = {name: np.zeros((20, columns)) for name in ("real", "fake")}
        calls = tuple(loss_call(function, name, f"{name} target") for name in ("real", "fake"))
        written.step(step, {**outputs, **values}, {"real": 0.1}, losses=calls, backward_roots=(TensorReference(root, 0),))
    return list(RULE.check(written.read()))


def test_one_label_for_everything_is_named(tmp_path: Path) -> None:
    (finding,) = _check(tmp_path, [(1, 1)] * 5)
    assert (finding.place.name, finding.step) == ("judge", 0)
    # 5 steps of 2 calls with 20 targets each.
    assert finding.message.startswith("All 200 recorded targets of binary_cross_entropy_with_logits for the result of `judge` are 1.")


def test_one_number_for_a_regression_is_named(tmp_path: Path) -> None:
    """As shares are that were rounded to integers."""
    (finding,) = _check(tmp_path / "alone", [(0, 0)] * 5, "mse_loss")
    # One of several terms may keep values near 0.
    assert _check(tmp_path / "term", [(0, 0)] * 5, "mse_loss", root="sum") == []
    assert finding.message.startswith("All 200 recorded targets of mse_loss for the result of `judge` are 0.")


@pytest.mark.parametrize(
    ("target", "root", "other", "is_named"),
    [(1, "loss", "judge", True), (-1, "loss", "judge", False), (1, "sum", "judge", False), (1, "loss", "teacher", False)],
    ids=["alike", "unlike", "one of two terms", "another network"],
)
def test_pairs_that_are_all_alike(tmp_path: Path, target: int, root: str, other: str, is_named: bool) -> None:
    tensors = [
        *(Given(name, operation="AddmmBackward0", module=module) for name, module in (("left", "judge"), ("right", other))),
        Given("target", "target"),
        Given("loss", "loss", parents=("left", "right", "target"), batch=False),
        Given("sum", operation="AddBackward0", parents=("loss",), batch=False),
    ]
    written = RunByHand(tmp_path, tensors, {"judge": "Linear", "teacher": "Linear"})
    for step in range(5):
        values = {"left": np.zeros((40, 3)), "right": np.ones((40, 3)), "target": np.full(40, target), "loss": 1.0, "sum": 2.0}
        call = loss_call("cosine_embedding_loss", "left")
        written.step(step, values, {"left": 0.1}, losses=(call,), backward_roots=(TensorReference(root, 0),))
    findings = list(RULE.check(written.read()))
    assert [finding.place.name for finding in findings] == (["target"] if is_named else [])
    assert all("returns the same for every sample is always right" in finding.message for finding in findings)


@pytest.mark.parametrize(
    ("targets", "function", "operation"),
    [
        ([(1, 0)] * 5, FUNCTION, "AddmmBackward0"),
        ([(1, 1)] * 4 + [(1, 0)], FUNCTION, "AddmmBackward0"),
        # Similarities, of which the first is always the right one.
        ([(0, 0)] * 5, "cross_entropy", "DivBackward0"),
        # The difference of the two sides of an equation.
        ([(0, 0)] * 5, "mse_loss", "SubBackward0"),
    ],
    ids=["two labels", "two labels at last", "contrastive", "equation"],
)
def test_two_labels_are_right_and_so_is_one_of_similarities(
    tmp_path: Path, targets: Sequence[Sequence[float]], function: str, operation: str
) -> None:
    assert _check(tmp_path, targets, function, operation, columns=3 if function == "cross_entropy" else 1) == []


def test_too_few_targets_say_nothing(tmp_path: Path) -> None:
    with pytest.raises(NotCheckedError):
        _check(tmp_path / "four steps", [(1, 1)] * 4)
    with pytest.raises(NotCheckedError):
        _check(tmp_path / "another function", [(1, 1)] * 5, "ctc_loss")
