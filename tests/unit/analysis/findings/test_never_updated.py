"""The rule `never-updated`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.findings.rules.training.never_updated import RULE
from support.analysis.runs import Given, RunByHand

TENSORS = [Given("model.a", "parameter"), Given("model.b", "parameter"), Given("loss", "loss", parents=("model.a", "model.b"))]
VALUES = {"model.a": np.ones((2, 2)), "model.b": np.ones((2, 2)), "loss": 1.0}


def _run(tmp_path: Path, update_of_b: float, gradient_of_b: float | None = 0.1, optimized: list[str] | None = None) -> RunByHand:
    written = RunByHand(tmp_path, TENSORS, optimized=optimized)
    for step in (0, 5):
        gradients = {"model.a": 0.1, "model.b": gradient_of_b}
        written.step(step, VALUES, gradients, updates={"model.a": (2, 0.01), "model.b": (2, update_of_b)})
    return written


def test_a_parameter_that_stays_while_others_move_is_named(tmp_path: Path) -> None:
    (finding,) = RULE.check(_run(tmp_path, 0.0, optimized=["model.a"]).read())
    assert [place.name for place in finding.places] == ["model.b"]
    assert finding.step == 0
    assert "No optimizer holds it" in finding.message


@pytest.mark.parametrize(("update", "gradient"), [(1e-12, 0.1), (0.0, 0.0), (0.0, None)])
def test_a_parameter_that_moves_or_has_no_gradient_is_not(tmp_path: Path, update: float, gradient: float | None) -> None:
    assert list(RULE.check(_run(tmp_path, update, gradient).read())) == []


def test_nothing_is_said_if_nothing_moves(tmp_path: Path) -> None:
    written = RunByHand(tmp_path, TENSORS)
    written.step(0, VALUES, {"model.a": 0.1, "model.b": 0.1}, updates={"model.a": (2, 0), "model.b": (2, 0)})
    with pytest.raises(NotCheckedError, match="no parameter changed"):
        list(RULE.check(written.read()))
