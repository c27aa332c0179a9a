"""The rules about what is passed to a loss, and what it makes of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from comgra_export.analysis.findings.model.finding import Finding, Severity
from comgra_export.analysis.findings.model.rule import NotCheckedError, Rule
from comgra_export.analysis.findings.rules.graph import broadcast_in_loss, nll_without_log_softmax, summed_loss, target_out_of_range
from comgra_export.storage import TensorReference
from support.analysis.runs import Given, RunByHand, loss_call


def _check(
    rule: Rule, folder: Path, function: str, prediction: object, target: object, operation: str = "AddmmBackward0", reduction: str = "mean"
) -> list[Finding]:
    tensors = [Given("out", operation=operation), Given("target", "target"), Given("loss", "loss", parents=("out", "target"), batch=False)]
    written = RunByHand(folder, tensors)
    written.step(
        3, {"out": prediction, "target": target, "loss": 1.0}, {"out": 0.1}, losses=(loss_call(function, "out", reduction=reduction),)
    )
    return list(rule.check(written.read()))


def test_positive_log_probabilities_are_named(tmp_path: Path) -> None:
    rule = nll_without_log_softmax.RULE
    (finding,) = _check(rule, tmp_path / "logits", "nll_loss", [[2.5, -1.0], [0.3, 0.1]], [0, 1])
    assert (finding.place.name, finding.value, finding.step) == ("out", 2.5, 3)
    assert _check(rule, tmp_path / "log", "nll_loss", np.log([[0.9, 0.1], [0.4, 0.6]]), [0, 1]) == []
    assert _check(rule, tmp_path / "rounded", "nll_loss", [[1e-6, -9.0], [-1.0, -0.5]], [0, 1]) == []
    with pytest.raises(NotCheckedError):
        _check(rule, tmp_path / "other", "cross_entropy", [[2.5, -1.0]], [0])


@pytest.mark.parametrize(
    ("prediction", "target", "severity"),
    [
        ((4, 1), (4,), Severity.BUG),
        ((4,), (4, 1), Severity.BUG),
        ((4, 3), (4, 3), None),
        ((4, 3), (), None),
        ((1, 1), (1,), None),
        ((4, 3), (1, 3), Severity.INFORMATION),
    ],
)
def test_a_broadcast_to_more_than_both_is_named(
    tmp_path: Path, prediction: tuple[int, ...], target: tuple[int, ...], severity: Severity | None
) -> None:
    findings = _check(broadcast_in_loss.RULE, tmp_path, "mse_loss", np.ones(prediction), np.ones(target))
    assert [finding.severity for finding in findings] == ([] if severity is None else [severity])
    if severity == Severity.BUG:
        assert "[4, 4]" in findings[0].message


@pytest.mark.parametrize(
    ("operation", "targets", "is_found"),
    [
        ("SigmoidBackward0", np.linspace(-3, 3, 20), True),
        ("SigmoidBackward0", np.linspace(0, 1, 20), False),
        ("SigmoidBackward0", np.linspace(0, 255, 20), True),
        ("TanhBackward0", np.linspace(-4, 4, 20), True),
        ("TanhBackward0", np.linspace(-1, 1, 20), False),
        ("ReluBackward0", np.linspace(-2, 2, 20), True),
        ("ReluBackward0", np.linspace(0, 90, 20), False),
        ("SoftplusBackward0", np.linspace(-2, 2, 20), True),
        ("SoftplusBackward0", np.linspace(0, 90, 20), False),
        ("ExpBackward0", np.linspace(-2, 2, 20), True),
        # One outlier of 100 values.
        ("SigmoidBackward0", np.append(np.linspace(0, 1, 99), 1.2), False),
        ("AddmmBackward0", np.linspace(-3, 3, 20), False),
    ],
)
def test_targets_that_the_output_cannot_reach_are_named(tmp_path: Path, operation: str, targets: np.ndarray, is_found: bool) -> None:
    targets = targets.reshape(-1, 1)
    findings = _check(target_out_of_range.RULE, tmp_path, "mse_loss", np.full(targets.shape, 0.5), targets, operation)
    assert bool(findings) == is_found


def _recurrent(
    folder: Path,
    *,
    kind: str = "GRU",
    side: str = "output[0]",
    scale: float = 1.0,
    target: float = 3.0,
    steps: int = 5,
    state: tuple[float, float] = (-0.5, 0.9),
    parameter: str = "rnn.weight_hh_l0",
) -> list[Finding]:
    """The last of two states of a recurrent module is the prediction, perhaps scaled by something that is not recorded."""
    tensors = [
        Given(parameter, "parameter"),
        Given(f"rnn: {side}", operation="TransposeBackward1", parents=(parameter,), module="rnn"),
        Given("out", operation="SelectBackward0", parents=(f"rnn: {side}",)),
        Given("target", "target"),
        Given("loss", "loss", parents=("out", "target"), batch=False),
    ]
    written = RunByHand(folder, tensors, {"rnn": kind})
    for step in range(steps):
        states = np.array([[[state[0]], [0.2]], [[0.0], [state[1]]]])
        values = {
            parameter: np.ones((2, 2)),
            f"rnn: {side}": states,
            "out": scale * states[:, -1],
            "target": [[target], [0.0]],
            "loss": 1.0,
        }
        written.step(step, values, {"out": 0.1}, losses=(loss_call("mse_loss", "out"),))
    return list(target_out_of_range.RULE.check(written.read()))


def test_targets_that_the_state_of_a_recurrent_network_cannot_reach_are_named(tmp_path: Path) -> None:
    (finding,) = _recurrent(tmp_path / "gru")
    assert (finding.place.name, finding.step) == ("rnn: output[0]", 0)
    # The mean square of the targets is 4.5, and the largest 9: at least (4.5 - 1) / (9 - 1) of them lie outside.
    assert finding.value == pytest.approx(3.5 / 8)
    assert "result of GRU, so its values are from -1 to 1" in finding.message
    assert len(_recurrent(tmp_path / "lstm", kind="LSTM")) == 1
    assert len(_recurrent(tmp_path / "rnn", kind="RNN")) == 1


@pytest.mark.parametrize(
    "case",
    [
        {"target": 0.9},
        {"scale": 4.0},
        {"steps": 4},
        {"kind": "Linear"},
        {"kind": "LSTM", "side": "output[1]"},
        {"kind": "LSTM", "parameter": "rnn.weight_hr_l0"},
        {"kind": "RNN", "state": (0.0, 0.9)},
        {"state": (-0.5, 1.1)},
    ],
    ids=["in range", "scaled", "few steps", "no state", "a cell", "projected", "perhaps with ReLU", "larger than 1"],
)
def test_what_may_have_no_bounds_is_not(tmp_path: Path, case: dict[str, Any]) -> None:
    assert _recurrent(tmp_path, **case) == []


def test_the_share_is_a_lower_bound(tmp_path: Path) -> None:
    targets = np.array([[-2.0], [-2.0], [0.5], [0.5]])
    (finding,) = _check(target_out_of_range.RULE, tmp_path, "mse_loss", np.full((4, 1), 0.5), targets, "SigmoidBackward0")
    # The mean of what lies below 0 is 1, and the most is 2.
    assert finding.value == pytest.approx(0.5)


def _summed(
    folder: Path, *, operation_after: str | None = None, update: float = 0.001, reduction: str = "sum", batch: int = 8
) -> list[Finding]:
    tensors = [
        Given("weight", "parameter", batch=False),
        Given("out", operation="AddmmBackward0", parents=("weight",)),
        Given("sum", operation="NllLossBackward0", parents=("out",), batch=False),
        Given("loss", "loss", operation=operation_after, parents=("sum",), batch=False),
    ]
    root = "sum" if operation_after is None else "loss"
    written = RunByHand(folder, tensors, optimized=["weight"])
    values = {"weight": np.ones((2, 2)), "out": np.ones((batch, 2)), "sum": 8.0, "loss": 1.0}
    written.step(
        0,
        values,
        {"weight": 1.0},
        updates={"weight": (2.0, 2 * update)},
        losses=(loss_call("cross_entropy", "out", result="sum", reduction=reduction),),
        backward_roots=(TensorReference(root, 0),),
    )
    return list(summed_loss.RULE.check(written.read()))


def test_a_sum_is_a_symptom_and_a_problem_if_updates_are_large(tmp_path: Path) -> None:
    (finding,) = _summed(tmp_path / "small")
    assert finding.severity == Severity.SYMPTOM
    assert "8" in finding.message
    (finding,) = _summed(tmp_path / "large", update=0.3)
    assert finding.severity == Severity.PROBLEM
    assert finding.value == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("case", "severity"),
    [
        ({}, Severity.PROBLEM),
        ({"update": 0.1}, Severity.SYMPTOM),
        ({"update": 0.009}, None),
        ({"update": 0.1, "optimized": None}, None),
        ({"factor": 0.125}, None),
        ({"square": "ExpBackward0"}, None),
        ({"total": "MeanBackward0"}, None),
    ],
)
def test_a_sum_of_squares_by_hand_that_is_divided_by_1(tmp_path: Path, case: dict[str, Any], severity: Severity | None) -> None:
    """Eight errors of 2. Updates of 0.3 are large, those of 0.1 are larger than usual, and those of 0.009 are not."""
    tensors = [
        Given("weight", "parameter", batch=False),
        Given("out", operation="AddmmBackward0", parents=("weight",)),
        Given("sub", operation="SubBackward0", parents=("out",)),
        Given("pow", operation=case.get("square", "PowBackward0"), parents=("sub",)),
        Given("sum", operation=case.get("total", "SumBackward0"), parents=("pow",), batch=False),
        Given("div", operation="DivBackward0", parents=("sum",), batch=False),
    ]
    written = RunByHand(tmp_path, tensors, optimized=case.get("optimized", ["weight"]))
    errors = np.full((8, 1), 2.0)
    values = {"weight": np.ones((2, 2)), "out": errors, "sub": errors, "pow": errors**2, "sum": 32.0, "div": 32 * case.get("factor", 1.0)}
    updates = {"weight": (2.0, 2 * case.get("update", 0.3))}
    written.step(0, values, {"weight": 1.0}, updates=updates, backward_roots=(TensorReference("div", 0),))
    try:
        findings = list(summed_loss.RULE.check(written.read()))
    except NotCheckedError:
        findings = []
    assert [(finding.place.name, finding.severity) for finding in findings] == ([] if severity is None else [("sum", severity)])


def test_a_mean_a_divided_sum_and_a_single_sample_are_right(tmp_path: Path) -> None:
    assert _summed(tmp_path / "mean", reduction="mean") == []
    assert _summed(tmp_path / "divided", operation_after="DivBackward0") == []
    assert _summed(tmp_path / "single", batch=1) == []
    assert len(_summed(tmp_path / "added", operation_after="AddBackward0")) == 1
