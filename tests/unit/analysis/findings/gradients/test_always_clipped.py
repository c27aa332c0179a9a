"""The rule `always-clipped`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.findings.rules.gradients.always_clipped import RULE
from comgra_export.analysis.history.run import Run
from support.analysis.runs import Given, RunByHand


def _run(tmp_path: Path, factors: Sequence[float], changes: tuple[str, ...] = ("mul_",), bias: str = "model.bias") -> Run:
    """A linear layer whose output, 8 samples of 4 features, has the gradient 0.5: that of its bias is 4 before it is clipped."""
    layer = Given("model: output", operation="AddmmBackward0", parents=(bias,), module="model")
    written = RunByHand(tmp_path, [Given(bias, "parameter"), layer], optimized=[bias])
    for step, factor in enumerate(factors):
        written.step(
            step,
            {bias: np.ones(4), "model: output": np.ones((8, 4))},
            {bias: 4 / factor, "model: output": 0.5},
            updates={bias: (1.0, 0.1)},
            changed_by=changes,
        )
    return written.read()


def test_clipping_that_makes_every_gradient_much_smaller_is_named(tmp_path: Path) -> None:
    (finding,) = RULE.check(_run(tmp_path, [10.5, 12, 14, 20, 20, 30]))
    assert finding.place.kind == "optimizer"
    assert finding.value == pytest.approx(17)


@pytest.mark.parametrize("factors", [[9.5] * 6, [30, 30, 30, 30, 30, 1]], ids=["little", "not always"])
def test_clipping_that_does_less_is_not(tmp_path: Path, factors: list[float]) -> None:
    assert list(RULE.check(_run(tmp_path, factors))) == []


def test_nothing_is_said_if_nothing_changed_the_gradients(tmp_path: Path) -> None:
    assert list(RULE.check(_run(tmp_path, [20] * 6, changes=()))) == []


def test_without_a_bias_the_factor_is_not_known(tmp_path: Path) -> None:
    with pytest.raises(NotCheckedError, match="no layer with a bias"):
        list(RULE.check(_run(tmp_path, [20] * 6, bias="model.weight")))
