"""The rule `updates-too-small`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.findings.rules.gradients.updates_too_small import RULE
from comgra_export.analysis.history.run import Run
from support.analysis.runs import Given, RunByHand

NAMES = [f"model.{number}.weight" for number in range(5)]


def _run(tmp_path: Path, *ratios: float, last_loss: float | None = 1.0, drift: float = 0.0) -> Run:
    """Five weights with the norm 2, which grows by `drift` from step to step."""
    written = RunByHand(tmp_path, [*(Given(name, "parameter") for name in NAMES), Given("loss", "loss")])
    for step in range(10):
        norm = 2.0 + drift * step
        updates = {name: (norm, norm * ratio) for name, ratio in zip(NAMES, ratios, strict=True)}
        loss = {} if last_loss is None else {"loss": 1.0 if step < 8 else last_loss}
        written.step(step, {**{name: np.ones((2, 2)) for name in NAMES}, **loss}, dict.fromkeys(NAMES, 0.1), updates=updates)
    return written.read()


def test_tiny_updates_with_a_loss_that_stays_are_named(tmp_path: Path) -> None:
    (finding,) = RULE.check(_run(tmp_path, 0.9e-5, 0.9e-5, 0.9e-5, 0.0, 1e-3))
    assert finding.place.kind == "optimizer"
    assert NAMES[4] not in [place.name for place in finding.places]


def test_larger_ones_are_not(tmp_path: Path) -> None:
    assert list(RULE.check(_run(tmp_path, *[1.1e-5] * 5))) == []
    assert list(RULE.check(_run(tmp_path / "few", 1e-6, 1e-6, 1e-6, 1e-3, 1e-3))) == []


def test_a_loss_that_falls_is_fine(tmp_path: Path) -> None:
    assert list(RULE.check(_run(tmp_path, *[1e-6] * 5, last_loss=0.97))) == []


def test_weights_that_move_between_the_recorded_steps_are_fine(tmp_path: Path) -> None:
    assert list(RULE.check(_run(tmp_path, *[0.0] * 5, drift=0.01))) == []


def test_it_needs_the_loss(tmp_path: Path) -> None:
    with pytest.raises(NotCheckedError, match="loss"):
        list(RULE.check(_run(tmp_path, *[1e-6] * 5, last_loss=None)))


def _ends(folder: Path, last_change: int, *, ratio: float = 5e-8, last_loss: float = 0.2) -> Run:
    """Five weights that change up to a step, of eleven: from then on, by less than float32 can hold."""
    written = RunByHand(folder, [*(Given(name, "parameter") for name in NAMES), Given("loss", "loss")])
    for step in range(11):
        norm = 2.0 + 0.1 * min(step, last_change + 1)
        changed = 0.1 if step <= last_change else norm * ratio
        values = {**{name: np.ones((2, 2)) for name in NAMES}, "loss": 1.0 if step == 0 else last_loss}
        written.step(step, values, dict.fromkeys(NAMES, 0.1), updates=dict.fromkeys(NAMES, (norm, changed)))
    return written.read()


def test_training_that_ends_early_is_named_with_the_step(tmp_path: Path) -> None:
    (finding,) = RULE.check(_ends(tmp_path, 3))
    assert (finding.place.kind, finding.step) == ("optimizer", 4)
    assert "from step 4 on, of 10 steps" in finding.message
    # What was measured, and not the limit.
    assert finding.value == pytest.approx(5e-8)
    assert finding.limit == 2.0**-24


@pytest.mark.parametrize(
    ("last_change", "ratio", "last_loss"),
    [(4, 5e-8, 0.2), (3, 7e-8, 0.2), (3, 5e-8, 0.09)],
    ids=["late", "float32 can hold it", "the loss has converged"],
)
def test_training_that_ends_for_a_reason_is_not(tmp_path: Path, last_change: int, ratio: float, last_loss: float) -> None:
    assert list(RULE.check(_ends(tmp_path, last_change, ratio=ratio, last_loss=last_loss))) == []
