"""The rule `dormant-units`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.findings.rules.activations.dormant_units import RULE
from comgra_export.analysis.history.run import Run
from support.analysis.runs import Given, RunByHand


def _run(tmp_path: Path, before: int, after: int, quiet: float = 0.004, values: bool = True) -> Run:
    """Ten units, of which some are quiet in the first five steps, and some in the last five."""
    written = RunByHand(tmp_path, [Given("w", "parameter"), Given("r", values=values)])
    for step in range(10):
        units = np.ones((4, 10))
        units[:, : before if step < 5 else after] = quiet
        written.step(step, {"w": np.ones(2), "r": units}, {"w": 0.1})
    return written.read()


def test_units_that_became_inactive_are_named(tmp_path: Path) -> None:
    (finding,) = RULE.check(_run(tmp_path, 1, 6))
    assert (finding.place.name, finding.step, finding.value) == ("r", 5, 0.6)


@pytest.mark.parametrize(("before", "after", "quiet"), [(2, 6, 0.004), (1, 5, 0.004), (1, 6, 0.013)])
def test_units_that_were_always_so_or_still_respond_are_not(tmp_path: Path, before: int, after: int, quiet: float) -> None:
    assert list(RULE.check(_run(tmp_path, before, after, quiet))) == []


def test_it_needs_statistics_of_units(tmp_path: Path) -> None:
    with pytest.raises(NotCheckedError, match="single units"):
        list(RULE.check(_run(tmp_path, 1, 6, values=False)))
