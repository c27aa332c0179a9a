"""The rule `dead-relu`."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.findings.rules.activations.dead_relu import RULE
from comgra_export.analysis.history.run import Run
from support.analysis.runs import Given, RunByHand

CONVOLUTION = {"model": "Net", "model.conv": "Conv2d"}
_Recorded = Literal["units", "values", "nothing"]


def _run(
    tmp_path: Path,
    dead: int,
    *,
    recorded: _Recorded = "units",
    batch: int = 200,
    wakes: int | None = None,
    units: int = 10,
    positions: tuple[int, ...] = (),
) -> Run:
    """Units in six steps, of which the first ones are dead, except perhaps in one step."""
    relu = Given("r", operation="ReluBackward0", values=recorded == "values", unit_dimension=1 if recorded == "units" else None)
    written = RunByHand(tmp_path, [Given("w", "parameter"), relu])
    for step in range(6):
        result = np.zeros((batch, units, *positions))
        result[0, dead:] = 1
        if step == wakes:
            result[1, :] = 0.01
        written.step(step, {"w": np.ones(2), "r": result}, {"w": 0.1})
    return written.read()


@pytest.mark.parametrize("recorded", ["units", "values"])
def test_more_than_seven_in_ten_dead_units_are_named(tmp_path: Path, recorded: _Recorded) -> None:
    (finding,) = RULE.check(_run(tmp_path, 8, recorded=recorded))
    assert (finding.place.name, finding.value, finding.limit) == ("r", 0.8, 0.7)
    assert "80% of the 10 units" in finding.message


@pytest.mark.parametrize(("dead", "units", "count"), [(7, 8, 1), (6, 7, 0), (7, 7, 1)])
def test_of_very_few_units_all_must_be_dead(tmp_path: Path, dead: int, units: int, count: int) -> None:
    assert len(list(RULE.check(_run(tmp_path, dead, units=units)))) == count


@pytest.mark.parametrize("is_given_up", [True, False])
def test_what_feeds_a_code_that_is_given_up_is_not_to_blame(tmp_path: Path, is_given_up: bool) -> None:
    random = np.random.default_rng(0)
    relu = Given("r", operation="ReluBackward0", parents=("x",), unit_dimension=1)
    code = Given("code", operation="AddBackward0", parents=("mean",))
    written = RunByHand(tmp_path, [Given("w", "parameter"), Given("x", "input"), relu, Given("mean", parents=("r", "w")), code])
    for step in range(10):
        result, mean = np.zeros((200, 10)), random.normal(size=(200, 8)) * (0.01 if is_given_up and step else 1)
        result[:, 9] = 1
        values = {"w": 1.0, "x": random.normal(size=(200, 8)), "r": result, "mean": mean, "code": mean + random.normal(size=(200, 8))}
        written.step(step, values, {"w": 0.1})
    assert len(list(RULE.check(written.read()))) == (0 if is_given_up else 1)


@pytest.mark.parametrize(("size", "places"), [(0.0, ["norm", "r"]), (-1.0, ["r"])])
def test_what_is_zero_before_the_relu_comes_first(tmp_path: Path, size: float, places: list[str]) -> None:
    """Zeros that come in are no death: then the layer before is at fault."""
    tensors = [Given("w", "parameter"), Given("x", "input"), Given("norm", parents=("x", "w"))]
    written = RunByHand(tmp_path, [*tensors, Given("r", operation="ReluBackward0", parents=("norm",), unit_dimension=1)])
    for step in range(6):
        written.step(step, {"w": 1.0, "x": np.ones((200, 4)), "norm": np.full((200, 4), size), "r": np.zeros((200, 4))}, {"w": 0.1})
    (finding,) = RULE.check(written.read())
    assert [place.name for place in finding.places] == places


def test_seven_in_ten_and_units_that_wake_once_are_not(tmp_path: Path) -> None:
    assert list(RULE.check(_run(tmp_path / "seven", 7))) == []
    assert list(RULE.check(_run(tmp_path / "wakes", 9, wakes=3))) == []


def test_only_the_last_half_of_the_steps_counts(tmp_path: Path) -> None:
    (finding,) = RULE.check(_run(tmp_path, 9, wakes=2))
    assert (finding.value, finding.step) == (0.9, 3)


def test_only_the_last_twenty_steps_count(tmp_path: Path) -> None:
    written = RunByHand(tmp_path, [Given("w", "parameter"), Given("r", operation="ReluBackward0", unit_dimension=1)])
    for step in range(42):
        result = np.zeros((30, 10))
        result[:, 9 if step > 21 else 0 :] = 1
        written.step(step, {"w": np.ones(2), "r": result}, {"w": 0.1})
    (finding,) = RULE.check(written.read())
    assert (finding.value, finding.step) == (0.9, 22)
    # Steps 22 to 41.
    assert "in each of the last 20 recorded training steps" in finding.message


@pytest.mark.parametrize(("dead", "expected"), [(14, []), (15, []), (16, [0.8])])
def test_with_few_values_more_units_have_to_be_dead(tmp_path: Path, dead: int, expected: list[float]) -> None:
    # Three steps with 166 samples are 498 values for each unit, and the limit needs 500.
    findings = list(RULE.check(_run(tmp_path, dead, batch=166, units=20)))
    assert [finding.value for finding in findings] == expected
    assert all(finding.limit == 0.75 for finding in findings)
    enough = list(RULE.check(_run(tmp_path / "enough", dead, batch=167, units=20)))
    assert [finding.limit for finding in enough] == ([] if dead == 14 else [0.7])


@pytest.mark.parametrize("batch", [21, 22])
def test_it_needs_64_samples(tmp_path: Path, batch: int) -> None:
    run = _run(tmp_path, 10, batch=batch)
    if 3 * batch < 64:
        with pytest.raises(NotCheckedError, match="enough samples"):
            list(RULE.check(run))
    else:
        assert [finding.value for finding in RULE.check(run)] == [1]


def test_units_of_feature_maps_are_channels(tmp_path: Path) -> None:
    # The first place of every other channel is alive.
    for recorded in ("units", "values"):
        (finding,) = RULE.check(_run(tmp_path / recorded, 8, recorded=recorded, positions=(2, 2)))
        assert finding.value == 0.8


@pytest.mark.parametrize("batch", [100, 22])
def test_zeros_alone_are_known_without_statistics_of_units(tmp_path: Path, batch: int) -> None:
    (finding,) = RULE.check(_run(tmp_path, 10, recorded="nothing", batch=batch))
    assert finding.message == "All units of `r` are zero for every sample in each of the 6 recorded training steps."
    assert finding.step == 0


def test_steps_before_all_units_died_are_not_counted(tmp_path: Path) -> None:
    (finding,) = RULE.check(_run(tmp_path, 10, recorded="nothing", wakes=1))
    assert "in each of the last 4 recorded training steps" in finding.message
    assert finding.step == 2


@pytest.mark.parametrize(("dead", "batch"), [(9, 100), (10, 21)], ids=["not all", "few samples"])
def test_without_them_nothing_else_is(tmp_path: Path, dead: int, batch: int) -> None:
    with pytest.raises(NotCheckedError, match="single units"):
        list(RULE.check(_run(tmp_path, dead, recorded="nothing", batch=batch)))


@pytest.mark.parametrize(
    ("shares", "expected"), [([0.8, 0.9] * 3, 0.8), ([0.9] * 5 + [0.7], None), ([0.7] * 3 + [0.9] * 3, 0.9), ([1.0] * 6, "unknown")]
)
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


@pytest.mark.parametrize(
    ("operation", "highest", "count"),
    [("MaxPool2DWithIndicesBackward0", -0.1, 1), ("MulBackward0", -0.1, 0), ("ViewBackward0", 0.1, 0)],
    ids=["pooled", "multiplied", "not negative everywhere"],
)
def test_a_relu_that_is_not_recorded_is_dead_if_the_layer_is_negative_and_what_follows_zero(
    tmp_path: Path, operation: str, highest: float, count: int
) -> None:
    layer = Given("model.conv: output", operation="ConvolutionBackward0", parents=("model.conv.bias",), module="model.conv")
    pooled = Given("model.fc: input", operation=operation, parents=("model.conv: output",))
    alive = Given("r", operation="ReluBackward0", unit_dimension=1)
    written = RunByHand(tmp_path, [Given("model.conv.bias", "parameter"), layer, pooled, alive], CONVOLUTION)
    for step in range(6):
        values = {"model.conv.bias": np.ones(4), "model.conv: output": np.linspace(-2, highest, 256).reshape(64, 4)}
        written.step(step, {**values, "model.fc: input": np.zeros((64, 4)), "r": np.ones((64, 4))}, {"model.conv.bias": 0.1})
    assert [[place.name for place in finding.places] for finding in RULE.check(written.read())] == [
        ["model.conv: output", "model.fc: input"]
    ] * count


@pytest.mark.parametrize(("name", "first"), [("model.fc: input", "model.conv: output"), ("model.relu: output", "model.relu: output")])
def test_the_layer_comes_first_if_the_relu_is_a_function(tmp_path: Path, name: str, first: str) -> None:
    layer = Given("model.conv: output", operation="ConvolutionBackward0", parents=("model.conv.bias",), module="model.conv")
    relu = Given(name, operation="ReluBackward0", parents=("model.conv: output",), unit_dimension=1)
    written = RunByHand(tmp_path, [Given("model.conv.bias", "parameter"), layer, relu], CONVOLUTION)
    for step in range(6):
        result = np.zeros((200, 10))
        result[:, 8:] = 1
        written.step(step, {"model.conv.bias": np.ones(10), "model.conv: output": 2 * result - 1, name: result}, {"model.conv.bias": 0.1})
    (finding,) = RULE.check(written.read())
    assert finding.place.name == first
