"""The rule `runaway-growth`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.findings.rules.activations.runaway_growth import RULE
from comgra_export.analysis.history.run import Run
from support.analysis.runs import Given, RunByHand, loss_call

TENSORS = [Given("w", "parameter"), Given("a"), Given("b", parents=("a",)), Given("loss", "loss", parents=("b",))]


def _run(tmp_path: Path, sizes: Sequence[float], last_loss: float = 1.0) -> Run:
    written = RunByHand(tmp_path, TENSORS)
    for step, size in enumerate(sizes):
        loss = last_loss if step >= 8 else 1.0
        written.step(step, {"w": np.ones(2), "a": np.full((4, 2), size), "b": np.full((4, 2), size), "loss": loss}, {"w": 0.1})
    return written.read()


def test_a_tensor_that_grows_far_is_named_once_at_its_origin(tmp_path: Path) -> None:
    (finding,) = RULE.check(_run(tmp_path, [4, 4, 4, 4, 100, 124, 124, 124, 124, 124]))
    assert [place.name for place in finding.places] == ["a"]
    assert finding.step == 4
    assert finding.value == pytest.approx(31)


@pytest.mark.parametrize(("start", "end"), [(4.0, 119.0), (1.0, 99.0)], ids=["relative", "absolute"])
def test_one_limit_alone_is_not_enough(tmp_path: Path, start: float, end: float) -> None:
    assert list(RULE.check(_run(tmp_path, [start] * 5 + [end] * 5))) == []


def test_the_absolute_limit_is_lower_if_the_loss_rises(tmp_path: Path) -> None:
    sizes = [0.1] * 5 + [11.0] * 5
    assert len(list(RULE.check(_run(tmp_path / "rises", sizes, last_loss=1.1)))) == 1
    assert list(RULE.check(_run(tmp_path / "falls", sizes, last_loss=0.9))) == []


@pytest.mark.parametrize(("target", "function", "count"), [(125.0, "mse_loss", 0), (123.0, "mse_loss", 1), (125.0, "cross_entropy", 1)])
def test_a_prediction_may_grow_until_it_is_as_large_as_its_targets(tmp_path: Path, target: float, function: str, count: int) -> None:
    written = RunByHand(tmp_path, [Given("w", "parameter"), Given("a"), Given("target", "target"), Given("loss", "loss", parents=("a",))])
    for step, size in enumerate([4.0] * 5 + [124.0] * 5):
        values = {"w": np.ones(2), "a": np.full((4, 2), size), "target": np.full((4, 2), -target), "loss": 1.0}
        written.step(step, values, {"w": 0.1}, losses=(loss_call(function, "a"),))
    assert len(list(RULE.check(written.read()))) == count


@pytest.mark.parametrize(("end", "count"), [(10.5, 1), (9.5, 0)])
def test_the_lower_limit_is_ten(tmp_path: Path, end: float, count: int) -> None:
    assert len(list(RULE.check(_run(tmp_path, [0.1] * 5 + [end] * 5, last_loss=1.1)))) == count


def test_a_growth_beyond_six_digits_is_rounded(tmp_path: Path) -> None:
    (finding,) = RULE.check(_run(tmp_path, [1] * 5 + [5.71e29] * 5))
    assert finding.message.startswith("The mean magnitude of `a` grows 5.7e29-fold, from 1 to 5.71e+29.")


def test_a_single_large_step_at_the_end_is_not_growth(tmp_path: Path) -> None:
    assert list(RULE.check(_run(tmp_path, [1] * 9 + [1e6]))) == []


def test_six_steps_are_enough_and_five_too_few(tmp_path: Path) -> None:
    (finding,) = RULE.check(_run(tmp_path / "six", [4, 4, 12, 100, 124, 400]))
    # It grows since it is more than twice as large as at the start.
    assert (finding.value, finding.step) == (31, 2)
    with pytest.raises(NotCheckedError, match="only 5"):
        list(RULE.check(_run(tmp_path / "five", [4, 4, 100, 124, 400])))


def test_terms_of_the_loss_may_grow(tmp_path: Path) -> None:
    tensors = [Given("w", "parameter"), Given("a", module="model"), Given("sum", parents=("a",))]
    written = RunByHand(tmp_path, tensors)
    for step in range(10):
        size = 1.0 if step < 5 else 1000.0
        written.step(step, {"w": np.ones(2), "a": np.ones((4, 2)), "sum": np.full(4, size)}, {"w": 0.1})
    assert list(RULE.check(written.read())) == []
