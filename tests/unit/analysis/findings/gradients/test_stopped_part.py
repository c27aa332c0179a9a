"""Parameters that stop within a run: a part of `updates-too-small`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from comgra_export.analysis.findings.model.finding import Severity
from comgra_export.analysis.findings.rules.gradients.schedules import early_decay
from comgra_export.analysis.findings.rules.gradients.stopped import stopped_part
from comgra_export.analysis.findings.rules.gradients.updates_too_small import RULE
from comgra_export.analysis.history.run import Run
from support.analysis.runs import Given, RunByHand

TENSORS = [Given("model.a", "parameter"), Given("model.b", "parameter"), Given("loss", "loss", parents=("model.a", "model.b"))]
VALUES = {"model.a": np.ones((2, 2)), "model.b": np.ones((2, 2)), "loss": 1.0}


def _run(tmp_path: Path, still: int, *, optimized: object = ("model.a", "model.b"), is_stale: bool = False, size: float = 0.1) -> Run:
    """Ten steps before the end of which `model.b` does not change for so many steps, with other gradients in every step."""
    written = RunByHand(tmp_path, TENSORS, optimized=optimized)  # type: ignore[arg-type]
    for step in range(16):
        of_b = size * (1 + (0 if is_stale else step / 100))
        updates = {"model.a": (2.0, 0.01), "model.b": (2.0, 0.0 if step >= 16 - still else 0.01)}
        written.step(step, VALUES, {"model.a": 0.1, "model.b": of_b}, updates=updates)
    return written.read()


@pytest.mark.parametrize(("still", "since"), [(5, 11), (8, 8)])
def test_a_parameter_that_stops_is_named(tmp_path: Path, still: int, since: int) -> None:
    (finding,) = RULE.check(_run(tmp_path, still))
    assert (finding.place.name, finding.step, finding.severity) == ("model.b", since, Severity.PROBLEM)


@pytest.mark.parametrize("still", [4, 12])
def test_too_few_steps_before_or_after_say_nothing(tmp_path: Path, still: int) -> None:
    assert stopped_part(_run(tmp_path, still)) is None


def test_a_gradient_that_nobody_renews_or_that_is_tiny_is_in_order(tmp_path: Path) -> None:
    assert stopped_part(_run(tmp_path / "stale", 8, is_stale=True)) is None
    assert stopped_part(_run(tmp_path / "tiny", 8, size=1e-7)) is None


def test_an_optimizer_that_stops_is_a_symptom(tmp_path: Path) -> None:
    (finding,) = RULE.check(_run(tmp_path, 8, optimized={"first": ["model.a"], "second": ["model.b"]}))
    assert (finding.place.name, finding.severity) == ("model.b", Severity.SYMPTOM)


def test_the_rate_of_an_optimizer_that_is_gone_says_nothing(tmp_path: Path) -> None:
    written = RunByHand(tmp_path, TENSORS, optimized={"first": ["model.a"], "second": ["model.b"]})
    updates = {"model.a": (2.0, 0.01), "model.b": (2.0, 0.01)}
    for step in range(16):
        rates = ((0.1 if step < 4 else np.nan,), (0.1,))
        written.step(step, VALUES, {"model.a": 0.1, "model.b": 0.1}, updates=updates, learning_rates=rates)
    assert early_decay(written.read()) is None
