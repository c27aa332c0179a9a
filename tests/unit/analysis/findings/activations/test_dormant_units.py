"""The rule `dormant-units`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from comgra_export.analysis.findings.model.finding import Severity
from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.findings.rules.activations.dormant_units import RULE
from comgra_export.analysis.history.run import Run
from support.analysis.runs import Given, RunByHand, loss_call


def _run(
    tmp_path: Path, before: int, after: int, quiet: float = 0.004, recorded: str = "units", steps: int = 10, loss: float | None = None
) -> Run:
    """Ten units, of which some are quiet in the first half of the steps, and some in the second. The loss falls from 1 at once."""
    tensor = Given("r", values=recorded == "values", unit_dimension=1 if recorded == "units" else None)
    written = RunByHand(tmp_path, [Given("w", "parameter"), tensor, Given("loss", "loss", batch=False)])
    for step in range(steps):
        units = np.ones((4, 10))
        units[:, : before if step < steps // 2 else after] = quiet
        losses = {} if loss is None else {"loss": loss if step else 1.0}
        written.step(step, {"w": np.ones(2), "r": units, **losses}, {"w": 0.1}, losses=(loss_call("mse_loss", "r"),) if losses else ())
    return written.read()


@pytest.mark.parametrize("recorded", ["units", "values"])
@pytest.mark.parametrize(("steps", "since"), [(10, 5), (6, 3), (12, 7)])
def test_units_that_became_inactive_are_named(tmp_path: Path, recorded: str, steps: int, since: int) -> None:
    (finding,) = RULE.check(_run(tmp_path, 1, 7, recorded=recorded, steps=steps))
    assert (finding.place.name, finding.step, finding.value) == ("r", since, 0.7)


@pytest.mark.parametrize(("loss", "severity"), [(0.8, Severity.PROBLEM), (0.79, Severity.INFORMATION)])
def test_a_network_that_learns_without_them_does_not_miss_them(tmp_path: Path, loss: float, severity: Severity) -> None:
    (finding,) = RULE.check(_run(tmp_path, 1, 7, loss=loss))
    assert finding.severity == severity


def test_five_steps_are_too_few(tmp_path: Path) -> None:
    with pytest.raises(NotCheckedError, match="needs 6"):
        list(RULE.check(_run(tmp_path, 1, 6, steps=5)))


@pytest.mark.parametrize(("before", "after", "quiet"), [(2, 7, 0.004), (1, 6, 0.004), (1, 7, 0.013)])
def test_units_that_were_always_so_or_still_respond_are_not(tmp_path: Path, before: int, after: int, quiet: float) -> None:
    assert list(RULE.check(_run(tmp_path, before, after, quiet))) == []


def test_it_needs_statistics_of_units(tmp_path: Path) -> None:
    with pytest.raises(NotCheckedError, match="single units"):
        list(RULE.check(_run(tmp_path, 1, 6, recorded="nothing")))
