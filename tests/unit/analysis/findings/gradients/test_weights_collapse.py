"""The rule `weights-collapse`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.findings.rules.gradients.weights_collapse import RULE
from comgra_export.analysis.history.run import Run
from support.analysis.runs import Given, RunByHand

NAMES = ["model.0.weight", "model.1.weight", "model.2.weight"]


def _run(tmp_path: Path, *final: float, start: float = 2.0) -> Run:
    """Three weights whose norms go from `start` to these in equal steps."""
    written = RunByHand(tmp_path, [Given(name, "parameter") for name in NAMES])
    paths = [np.linspace(start, end, 6) for end in final]
    for step in range(6):
        updates = {name: (float(path[step]), 0.01) for name, path in zip(NAMES, paths, strict=True)}
        written.step(step, {name: np.ones((2, 2)) for name in NAMES}, dict.fromkeys(NAMES, 0.1), updates=updates)
    return written.read()


def test_weights_that_shrink_to_a_tenth_are_named(tmp_path: Path) -> None:
    (finding,) = RULE.check(_run(tmp_path, 0.18, 0.1, 2.0))
    assert [place.name for place in finding.places] == ["model.1.weight", "model.0.weight"]
    assert finding.value == pytest.approx(0.05)


def test_one_of_three_or_less_shrinking_is_not_enough(tmp_path: Path) -> None:
    assert list(RULE.check(_run(tmp_path / "one", 0.1, 2.0, 2.0))) == []
    assert list(RULE.check(_run(tmp_path / "less", 0.22, 0.22, 0.22))) == []


def test_weights_that_begin_at_zero_have_no_size_to_compare_with(tmp_path: Path) -> None:
    with pytest.raises(NotCheckedError):
        list(RULE.check(_run(tmp_path, 0.0, 0.0, 0.0, start=1e-3)))
