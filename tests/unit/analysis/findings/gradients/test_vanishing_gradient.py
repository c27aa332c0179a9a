"""The rule `vanishing-gradient`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.findings.rules.gradients.vanishing_gradient import RULE
from comgra_export.analysis.history.run import Run
from support.analysis.runs import Given, RunByHand

WEIGHTS = [Given(f"model.{number}.weight", "parameter") for number in range(3)]
# A column of mean 0 and of deviation 1, as the recorder computes it.
SAMPLES = np.array([[-1.0], [-1.0], [1.0], [1.0]]) * np.sqrt(3 / 4) * np.ones((4, 4))
STATES = [Given(f"h{number}", parents=(f"h{number - 1}",) if number else ()) for number in range(3)]


def _run(tmp_path: Path, gradients: Mapping[str, float], steps: int = 6, last_loss: float = 1.0) -> Run:
    written = RunByHand(tmp_path, [*WEIGHTS, *STATES, Given("loss", "loss")])
    values = {given.name: np.ones((4, 4)) for given in (*WEIGHTS, *STATES)}
    for step in range(steps):
        loss = 1.0 if step < steps - 1 else last_loss
        written.step(step, {**values, "loss": loss}, gradients)
    return written.read()


def _of_weights(*sizes: float) -> dict[str, float]:
    return {given.name: size for given, size in zip(WEIGHTS, sizes, strict=True)}


def _of_states(*sizes: float) -> dict[str, float]:
    return {given.name: size for given, size in zip(STATES, sizes, strict=True)}


def test_a_weight_with_a_gradient_far_below_the_largest_is_named(tmp_path: Path) -> None:
    (finding,) = RULE.check(_run(tmp_path, _of_weights(0.9e-6, 1e-3, 1e-3)))
    assert [place.name for place in finding.places] == ["model.0.weight"]
    assert finding.value == pytest.approx(0.9e-6)
    assert finding.limit == pytest.approx(1e-6)
    assert "1.11e+03 times smaller" in finding.message


def test_it_is_named_since_the_first_step_in_which_the_gradient_is_that_small(tmp_path: Path) -> None:
    written = RunByHand(tmp_path, WEIGHTS)
    for step in range(9):
        written.step(step, {given.name: np.ones((4, 4)) for given in WEIGHTS}, _of_weights(1e-3 if step < 1 else 0.9e-6, 1e-3, 1e-3))
    (finding,) = RULE.check(written.read())
    assert finding.step == 1


@pytest.mark.parametrize(("between", "count"), [(0.9e-3, 1), (1.1e-3, 0)], ids=["less and less", "at once"])
def test_what_is_the_same_for_all_samples_in_the_end_hides_nothing_if_it_fades(tmp_path: Path, between: float, count: int) -> None:
    """The samples differ by 1 in the first state, by as much as that in the second, and not at all in the third."""
    states = [Given(f"h{number}", parents=(f"h{number - 1}",) if number else ("x",)) for number in range(3)]
    states = [replace(state, parents=(*state.parents, weight.name)) for state, weight in zip(states, WEIGHTS, strict=True)]
    written = RunByHand(tmp_path, [*WEIGHTS, Given("x", "input"), *states, Given("loss", "loss", parents=("h2",))])
    for step in range(6):
        values = {f"h{number}": 1 + spread * SAMPLES for number, spread in enumerate([1.0, between, 0.0])}
        parameters = {given.name: np.ones((4, 4)) for given in WEIGHTS}
        written.step(step, {**parameters, "x": SAMPLES, **values, "loss": 1.0}, _of_weights(0.9e-6, 1e-3, 1e-3))
    assert len(list(RULE.check(written.read()))) == count


@pytest.mark.parametrize("sizes", [(1.1e-6, 1e-3, 1e-3), (1.1e-5, 1.0, 1.0), (0.0, 1e-3, 1e-3)], ids=["relative", "absolute", "zero"])
def test_neither_limit_alone_is_enough_and_zero_is_another_matter(tmp_path: Path, sizes: tuple[float, ...]) -> None:
    assert list(RULE.check(_run(tmp_path, _of_weights(*sizes)))) == []


def test_the_absolute_limit_alone_decides_if_gradients_are_large(tmp_path: Path) -> None:
    assert len(list(RULE.check(_run(tmp_path, _of_weights(0.9e-5, 1.0, 1.0))))) == 1


def test_two_weights_are_too_few_to_compare(tmp_path: Path) -> None:
    gradients = _of_weights(1e-9, 1.0, 1.0)
    del gradients["model.1.weight"]
    assert list(RULE.check(_run(tmp_path, gradients))) == []


@pytest.mark.parametrize(("size", "count"), [(0.9e-7, 1), (1.1e-7, 0)])
def test_states_have_an_absolute_limit_too(tmp_path: Path, size: float, count: int) -> None:
    assert len(list(RULE.check(_run(tmp_path, _of_states(size, 1.0, 1.0))))) == count


def test_what_weights_show_is_not_said_again_of_states(tmp_path: Path) -> None:
    (finding,) = RULE.check(_run(tmp_path, _of_weights(1e-9, 1.0, 1.0) | _of_states(1e-12, 1.0, 1.0)))
    assert finding.place.kind == "parameter"


def test_states_of_one_shape_have_stricter_limits(tmp_path: Path) -> None:
    (finding,) = RULE.check(_run(tmp_path / "below", _of_states(0.9e-8, 1e-5, 1e-4)))
    assert [place.name for place in finding.places] == ["h0"]
    assert list(RULE.check(_run(tmp_path / "above", _of_states(1.1e-8, 1e-5, 1e-4)))) == []


@pytest.mark.parametrize(("sizes", "named"), [((1e-9, 1.0, 1.0), "before"), ((1.0, 1e-9, 1.0), None)])
@pytest.mark.parametrize("kind", ["parameter", "tensor"])
def test_what_comes_after_a_large_gradient_is_not_named(tmp_path: Path, kind: str, sizes: tuple[float, ...], named: str | None) -> None:
    """As the scores of an attention to which what belongs to the receiver is added: it cancels out."""
    weights = [Given(f"{name}.weight", "parameter") for name in ("before", "after", "beside")]
    states = [
        Given("before: output", parents=("before.weight",)),
        Given("after: output", parents=("after.weight", "before: output")),
        Given("beside: output", parents=("beside.weight", "before: output", "after: output")),
    ]
    written = RunByHand(tmp_path, [*weights, *states])
    chosen = weights if kind == "parameter" else states
    for step in range(6):
        values = {given.name: np.ones((4, 4)) for given in (*weights, *states)}
        written.step(step, values, {given.name: size for given, size in zip(chosen, sizes, strict=True)})
    findings = list(RULE.check(written.read()))
    assert [place.name for finding in findings for place in finding.places] == (
        [] if named is None else ["before.weight" if kind == "parameter" else "before: output"]
    )


def test_a_run_that_has_learned_is_left_alone(tmp_path: Path) -> None:
    assert list(RULE.check(_run(tmp_path, _of_weights(1e-9, 1e-3, 1e-3), last_loss=0.09))) == []


def test_four_steps_are_too_few(tmp_path: Path) -> None:
    with pytest.raises(NotCheckedError, match="only 4 training steps"):
        list(RULE.check(_run(tmp_path, _of_weights(1e-9, 1, 1), steps=4)))


@pytest.mark.parametrize(("other", "count"), [(1.1e-6, 0), (0.9e-6, 2)], ids=["arrives", "does not arrive"])
@pytest.mark.parametrize("names", [("weight_hh_l0", "weight_ih_l0"), ("weight_ih_l0", "weight_hh_l0")])
def test_a_recurrent_layer_is_reached_if_one_of_its_weights_is(tmp_path: Path, names: tuple[str, str], other: float, count: int) -> None:
    """States are near zero at first, and so is the gradient of what multiplies them."""
    tensors = [Given(f"model.lstm.{name}", "parameter") for name in names] + [Given("model.out.weight", "parameter")]
    written = RunByHand(tmp_path, tensors)
    gradients = dict(zip((given.name for given in tensors), (0.9e-6, other, 1e-3), strict=True))
    for step in range(6):
        written.step(step, {given.name: np.ones((4, 4)) for given in tensors}, gradients)
    places = [place for finding in RULE.check(written.read()) for place in finding.places]
    assert len(places) == count
