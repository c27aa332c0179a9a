"""Activations before a loss that a view, an index or a clamp hides: `target-out-of-range` and `softmax-before-cross-entropy`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from comgra_export.analysis.findings.model.finding import Finding, Severity
from comgra_export.analysis.findings.model.rule import Rule
from comgra_export.analysis.findings.rules.graph import softmax_before_cross_entropy, target_out_of_range
from support.analysis.runs import Given, RunByHand, loss_call

LOGITS = "binary_cross_entropy_with_logits"
SCORES = np.linspace(-2, 2, 20)[:, None]
RANGE, PROBABILITIES = target_out_of_range.RULE, softmax_before_cross_entropy.RULE


def _sigmoid(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(1 / (1 + np.exp(-values)))


def _check(
    rule: Rule,
    folder: Path,
    function: str,
    out: NDArray[np.float64],
    operation: str,
    *,
    target: float = 0.0,
    steps: int = 6,
    column: bool = False,
) -> list[Finding]:
    """A layer, something that was made of it, perhaps the only column of that, and a loss."""
    tensors = [
        Given("scores", operation="AddmmBackward0"),
        Given("out", operation=operation, parents=("scores",)),
        Given("column", operation="SelectBackward0", parents=("out",)),
        Given("target", "target"),
        Given("loss", "loss", parents=("column" if column else "out", "target"), batch=False),
    ]
    written = RunByHand(folder, tensors)
    call = loss_call(function, "column" if column else "out", reduction="mean")
    for step in range(steps):
        values = {"scores": SCORES, "out": out, "target": np.linspace(-1, 1, 20) + target, "loss": 1.0}
        written.step(step, values | ({"column": out[:, 0]} if column else {}), {"scores": 0.1}, losses=(call,))
    return list(rule.check(written.read()))


def test_the_only_column_of_a_sigmoid_is_one(tmp_path: Path) -> None:
    (finding,) = _check(PROBABILITIES, tmp_path, LOGITS, _sigmoid(SCORES), "SigmoidBackward0", column=True)
    assert finding.place.name == "out"


@pytest.mark.parametrize(("steps", "count"), [(5, 1), (4, 0)])
def test_a_sigmoid_whose_view_is_recorded_is_one(tmp_path: Path, steps: int, count: int) -> None:
    out = _sigmoid(SCORES[:, 0])
    assert len(_check(PROBABILITIES, tmp_path / "logits", LOGITS, out, "SqueezeBackward1", steps=steps)) == count
    assert len(_check(RANGE, tmp_path / "range", "mse_loss", out, "SqueezeBackward1", target=10, steps=steps)) == count


@pytest.mark.parametrize(
    ("values", "steps", "count"),
    # (tanh(x) + 1) / 2 in 20 steps; in fewer; a little above 1; a small part of the range.
    [((0.02, 0.98), 20, 1), ((0.02, 0.98), 19, 0), ((0.02, 1.01), 20, 0), ((0.4, 0.69), 20, 0)],
)
def test_values_between_zero_and_one_look_like_probabilities(tmp_path: Path, values: tuple[float, float], steps: int, count: int) -> None:
    findings = _check(PROBABILITIES, tmp_path, LOGITS, np.linspace(*values, 20)[:, None], "DivBackward0", steps=steps)
    assert [finding.severity for finding in findings] == [Severity.PROBLEM] * count


@pytest.mark.parametrize(
    ("low", "high", "target", "steps", "span"),
    [
        (0, None, -0.5, 5, "at least 0"),
        (0, None, -0.5, 4, None),
        (None, 0.5, 3, 5, "at most 0.5"),
        (-1, 1, 9, 5, "from -1 to 1"),
        (None, None, 9, 5, None),
    ],
)
def test_a_clamp_reaches_its_limits_in_every_step(
    tmp_path: Path, low: float | None, high: float | None, target: float, steps: int, span: str | None
) -> None:
    """What is clamped grows from step to step."""
    written = RunByHand(tmp_path, [Given("out", operation="ClampBackward1"), Given("target", "target"), Given("loss", "loss", batch=False)])
    for step in range(steps):
        grown = SCORES * (1 + step / 10)
        out = grown if low is high is None else np.clip(grown, low, high)
        values = {"out": out, "target": np.linspace(-1, 1, 20)[:, None] + target, "loss": 1.0}
        written.step(step, values, {"out": 0.1}, losses=(loss_call("mse_loss", "out", reduction="mean"),))
    messages = [finding.message for finding in RANGE.check(written.read())]
    assert len(messages) == (span is not None)
    assert all(f"is the result of clamp, so its values are {span}." in message for message in messages)


def test_a_lower_limit_below_zero(tmp_path: Path) -> None:
    """Targets are from -1 to 1. On average, (|x| - x) / 2 is 0.26, so at least (0.26 - 0.17) / (1 - 0.17) = 11 % lie below -0.17."""
    (finding,) = _check(RANGE, tmp_path / "gelu", "mse_loss", SCORES, "GeluBackward0")
    assert finding.value == pytest.approx((np.abs(np.linspace(-1, 1, 20)).mean() / 2 - 0.17) / (1 - 0.17), rel=1e-3)
    assert _check(RANGE, tmp_path / "elu", "mse_loss", SCORES, "EluBackward0") == []
