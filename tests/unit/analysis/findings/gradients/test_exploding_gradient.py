"""The rule `exploding-gradient`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from comgra_export.analysis.findings.rules.gradients.exploding_gradient import RULE
from comgra_export.analysis.history.run import Run
from support.analysis.runs import Given, RunByHand, loss_call


def _run(tmp_path: Path, norms: Sequence[float], weight: float = 1.0, last_loss: float = 1.0) -> Run:
    """A weight of 4 values with a norm, and a gradient with a norm per step."""
    written = RunByHand(tmp_path, [Given("model.weight", "parameter"), Given("loss", "loss")])
    for step, norm in enumerate(norms):
        loss = last_loss if step else 1.0
        written.step(step, {"model.weight": np.full((2, 2), weight / 2), "loss": loss}, {"model.weight": norm / 2})
    return written.read()


def test_a_gradient_far_larger_than_its_weight_is_named(tmp_path: Path) -> None:
    (finding,) = RULE.check(_run(tmp_path, [1, 1, 250, 30, 30, 30], weight=20))
    assert finding.place.name == "model.weight"
    assert finding.step == 2
    assert finding.value == pytest.approx(12.5)


@pytest.mark.parametrize(("size", "places"), [(21.0, ["target", "w"]), (19.0, ["w"])])
def test_targets_that_are_far_away_come_first(tmp_path: Path, size: float, places: list[str]) -> None:
    tensors = [Given("w", "parameter"), Given("p", parents=("w",)), Given("target", "target"), Given("loss", "loss", parents=("p",))]
    written = RunByHand(tmp_path, tensors)
    for step in range(6):
        values = {"w": np.ones((2, 2)), "p": np.full((4, 1), 2.0), "target": np.full((4, 1), size), "loss": 1.0}
        written.step(step, values, {"w": 500.0}, losses=(loss_call("mse_loss", "p"),))
    (finding,) = RULE.check(written.read())
    assert [place.name for place in finding.places] == places


@pytest.mark.parametrize(("norm", "weight"), [(190.0, 20.0), (99.0, 1.0)], ids=["relative", "absolute"])
def test_one_limit_alone_is_not_enough(tmp_path: Path, norm: float, weight: float) -> None:
    assert list(RULE.check(_run(tmp_path, [norm] * 6, weight))) == []


def test_later_it_counts_only_if_it_keeps_growing(tmp_path: Path) -> None:
    growing = [2.0, 8.0, 32.0, 128.0, 512.0]
    (finding,) = RULE.check(_run(tmp_path / "growing", growing))
    assert finding.step == 3
    assert list(RULE.check(_run(tmp_path / "once", [2.0, 2.0, 2.0, 2.0, 512.0]))) == []


@pytest.mark.parametrize(("later", "count"), [(49.0, 0), (51.0, 1)])
def test_a_gradient_that_falls_to_a_tenth_has_calmed_down(tmp_path: Path, later: float, count: int) -> None:
    assert len(list(RULE.check(_run(tmp_path, [500.0] * 3 + [later] * 3)))) == count


def test_a_gradient_of_zero_is_not_calm(tmp_path: Path) -> None:
    (finding,) = RULE.check(_run(tmp_path, [500.0] * 3 + [0.0] * 3))
    assert finding.step == 0


def test_a_loss_that_falls_from_where_gradients_threw_it_has_not_fallen(tmp_path: Path) -> None:
    """The mean over the first 5 % of 40 steps is that of 1 and 1e9, and 1e6 is little beside it."""
    written = RunByHand(tmp_path, [Given("model.weight", "parameter"), Given("loss", "loss")])
    for step in range(40):
        loss = {0: 1.0, 1: 1e9}.get(step, 1e6)
        written.step(step, {"model.weight": np.full((2, 2), 0.5), "loss": loss}, {"model.weight": 250.0})
    assert len(list(RULE.check(written.read()))) == 1


@pytest.mark.parametrize(("factor", "count"), [(3.1, 0), (3.3, 1)])
def test_it_must_grow_a_hundredfold(tmp_path: Path, factor: float, count: int) -> None:
    # Four times the factor: 92 or 119 in all.
    assert len(list(RULE.check(_run(tmp_path, [5 * factor**step for step in range(5)])))) == count


def test_a_loss_that_falls_shows_that_training_copes(tmp_path: Path) -> None:
    assert list(RULE.check(_run(tmp_path / "falls", [500.0] * 6, last_loss=0.79))) == []
    assert len(list(RULE.check(_run(tmp_path / "stays", [500.0] * 6, last_loss=0.81)))) == 1
