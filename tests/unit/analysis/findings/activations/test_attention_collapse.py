"""The rule `attention-collapse`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from comgra_export.analysis.findings.model.finding import Severity
from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.findings.rules.activations.attention_collapse import RULE
from comgra_export.analysis.history.run import Run
from support.analysis.runs import Given, RunByHand


def _run(
    tmp_path: Path, first: float, later: float | None = None, positions: int = 8, child: str = "AddBackward0", loss: float = 1.0
) -> Run:
    """Rows with one large probability and equal small ones; ten steps, of which the first two count. The loss is 1 in the first step."""
    tensors = [
        Given("w", "parameter"),
        Given("a", operation="SoftmaxBackward0"),
        Given("out", operation=child, parents=("a",)),
        Given("loss", "loss", parents=("out",), batch=False),
    ]
    written = RunByHand(tmp_path, tensors)
    for step in range(10):
        large = first if step < 2 or later is None else later
        row = np.full(positions, (1 - large) / (positions - 1))
        row[0] = large
        written.step(step, {"w": np.ones(2), "a": np.tile(row, (2, 3, 1)), "out": np.ones((2, 1)), "loss": loss if step else 1}, {"w": 0.1})
    return written.read()


def test_attention_to_one_position_from_the_start_is_named(tmp_path: Path) -> None:
    (finding,) = RULE.check(_run(tmp_path, 0.88, 0.2))
    assert finding.place.name == "a"
    assert finding.value == pytest.approx(0.88**2 + 7 * (0.12 / 7) ** 2, rel=1e-4)


@pytest.mark.parametrize(("loss", "severity"), [(0.09, Severity.INFORMATION), (0.11, Severity.PROBLEM)])
def test_attention_with_which_the_loss_falls_to_a_tenth_may_be_right(tmp_path: Path, loss: float, severity: Severity) -> None:
    (finding,) = RULE.check(_run(tmp_path, 0.88, loss=loss))
    assert finding.severity == severity


def test_attention_that_spreads_or_sharpens_later_is_not(tmp_path: Path) -> None:
    assert list(RULE.check(_run(tmp_path / "spreads", 0.85))) == []
    assert list(RULE.check(_run(tmp_path / "later", 0.5, 0.99))) == []


@pytest.mark.parametrize(("positions", "child"), [(5, "AddBackward0"), (8, "MulBackward0")], ids=["few positions", "gate"])
def test_what_is_no_such_pattern_is_left_out(tmp_path: Path, positions: int, child: str) -> None:
    with pytest.raises(NotCheckedError, match="no pattern of attention"):
        list(RULE.check(_run(tmp_path, 0.99, positions=positions, child=child)))
