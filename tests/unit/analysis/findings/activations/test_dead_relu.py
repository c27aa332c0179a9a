"""The rule `dead-relu`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.findings.rules.activations.dead_relu import RULE
from comgra_export.analysis.history.run import Run
from support.analysis.runs import Given, RunByHand


def _run(tmp_path: Path, dead: int, *, values: bool = True, batch: int = 100, wakes: bool = False, shape: tuple[int, ...] = (10,)) -> Run:
    """Ten units in six steps, of which the first ones are dead."""
    written = RunByHand(tmp_path, [Given("w", "parameter"), Given("r", operation="ReluBackward0", values=values)])
    for step in range(6):
        result = np.zeros((batch, *shape))
        result[0, dead:] = 1
        if wakes and step == 3:
            result[1, :] = 0.01
        written.step(step, {"w": np.ones(2), "r": result}, {"w": 0.1})
    return written.read()


def test_more_than_half_of_the_units_dead_is_named(tmp_path: Path) -> None:
    (finding,) = RULE.check(_run(tmp_path, 6))
    assert (finding.place.name, finding.value) == ("r", 0.6)
    assert "60% of the 10 units" in finding.message


def test_half_and_units_that_wake_once_are_not(tmp_path: Path) -> None:
    assert list(RULE.check(_run(tmp_path / "half", 5))) == []
    assert list(RULE.check(_run(tmp_path / "wakes", 9, wakes=True))) == []


def test_only_the_last_twenty_steps_count(tmp_path: Path) -> None:
    written = RunByHand(tmp_path, [Given("w", "parameter"), Given("r", operation="ReluBackward0", values=True)])
    for step in range(21):
        result = np.zeros((30, 10))
        result[:, 9 if step else 0 :] = 1
        written.step(step, {"w": np.ones(2), "r": result}, {"w": 0.1})
    (finding,) = RULE.check(written.read())
    assert (finding.value, finding.step) == (0.9, 1)


def test_units_of_feature_maps_are_channels(tmp_path: Path) -> None:
    # The first place of every other channel is alive.
    (finding,) = RULE.check(_run(tmp_path, 6, shape=(10, 2, 2)))
    assert finding.value == 0.6


@pytest.mark.parametrize("batch", [100, 17])
def test_zeros_alone_are_known_without_statistics_of_units(tmp_path: Path, batch: int) -> None:
    (finding,) = RULE.check(_run(tmp_path, 10, values=False, batch=batch))
    assert "All units of r are zero" in finding.message


@pytest.mark.parametrize(("dead", "batch"), [(9, 100), (10, 16)], ids=["not all", "few samples"])
def test_without_them_nothing_else_is(tmp_path: Path, dead: int, batch: int) -> None:
    with pytest.raises(NotCheckedError, match="single units"):
        list(RULE.check(_run(tmp_path, dead, values=False, batch=batch)))


@pytest.mark.parametrize(("shares", "expected"), [([0.8, 0.9] * 3, 0.8), ([0.9] * 5 + [0.7], None), ([1.0] * 6, "unknown")])
def test_biases_without_a_gradient_show_dead_units(tmp_path: Path, shares: list[float], expected: float | str | None) -> None:
    layer = Given("model: output", operation="AddmmBackward0", parents=("model.bias",), module="model")
    relu = Given("r", operation="ReluBackward0", parents=("model: output",))
    written = RunByHand(tmp_path, [Given("model.bias", "parameter"), layer, relu])
    values = np.ones((100, 10))
    for step, share in enumerate(shares):
        gradient = (np.arange(10) >= round(10 * share)).astype(np.float32)
        written.step(step, {"model.bias": np.ones(10), "model: output": values, "r": values}, {"model.bias": gradient})
    run = written.read()
    if expected == "unknown":
        with pytest.raises(NotCheckedError):
            list(RULE.check(run))
    else:
        assert [finding.value for finding in RULE.check(run)] == ([] if expected is None else [pytest.approx(expected)])
