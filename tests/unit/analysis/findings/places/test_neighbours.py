"""The places to look at next that stand behind the first place of a finding."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from comgra_export.analysis.findings.find import find
from comgra_export.analysis.findings.model.finding import Finding, Neighbour, Place, Severity
from comgra_export.analysis.findings.model.rule import Rule
from comgra_export.analysis.history.run import Run
from comgra_export.storage import TensorReference
from support.analysis.runs import Given, RunByHand, loss_call

# x -> body -> out -> loss -> scaled, with a mask that nothing of this depends on.
TENSORS = [
    Given("model: input", "input"),
    Given("model: input mask", "input"),
    Given("model.body.weight", "parameter", batch=False),
    Given("model.body: output", parents=("model: input", "model.body.weight"), module="model.body"),
    Given("model.out: input", parents=("model.body: output",), module="model", operation="MulBackward0"),
    Given("model.out: output", parents=("model.out: input",), module="model.out"),
    Given("target", "target"),
    Given("loss", "loss", parents=("model.out: output", "target"), batch=False),
    Given("scaled", operation="MulBackward0", parents=("loss",), batch=False),
]
ALL: tuple[Neighbour, ...] = ("before", "caller", "input", "prediction", "target", "loss")


def _run(folder: Path, *, has_loss_function: bool = True) -> Run:
    written = RunByHand(folder, TENSORS)
    shapes = {"loss": (), "scaled": (), "model.body.weight": (3, 3)}
    values = {given.name: np.ones(shapes.get(given.name, (4, 3))) for given in TENSORS}
    losses = (loss_call("mse_loss", "model.out: output"),) if has_loss_function else ()
    for step in range(2):
        written.step(step, values, {"model.out: output": 0.1}, losses=losses, backward_roots=(TensorReference("scaled", 0),))
    return written.read()


def _names(run: Run, kinds: tuple[Neighbour, ...], *places: Place) -> list[str]:
    """The first place of a finding with these places, where to look next, and its other places."""

    def check(_: Run) -> Iterator[Finding]:
        yield rule.finding("Wrong.", *places, step=1)

    rule = Rule(
        name="wrong",
        title="Wrong",
        severity=Severity.PROBLEM,
        formula="always",
        source="a test",
        needs="nothing",
        advice=("Try.",),
        check=check,
        neighbours=kinds,
        priority=0,
    )
    (finding,) = find(run, [rule]).findings
    return [place.name or place.kind for place in (*finding.places[:1], *finding.look_next, *finding.places[1:])]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("before", ["model.body: output"]),
        # The product is computed in the model's own `forward`.
        ("caller", ["model"]),
        ("input", ["model: input"]),
        ("prediction", ["model.out: output"]),
        ("target", ["target"]),
        ("loss", ["scaled", "loss"]),
    ],
)
def test_what_lies_around_a_tensor_in_the_middle(tmp_path: Path, kind: Neighbour, expected: list[str]) -> None:
    assert _names(_run(tmp_path), (kind,), Place("tensor", "model.out: input", 0)) == ["model.out: input", *expected]


def test_there_are_at_most_three_and_none_that_the_finding_names_itself(tmp_path: Path) -> None:
    places = Place("tensor", "model.out: input", 0), Place("tensor", "target", 0), Place("tensor", "model: input", 0)
    names = _names(_run(tmp_path), ALL, *places)
    assert names == ["model.out: input", "model.body: output", "model", "model.out: output", "target", "model: input"]


def test_the_first_place_is_never_named_twice(tmp_path: Path) -> None:
    assert _names(_run(tmp_path), ("target", "prediction"), Place("loss", "target")) == ["target", "model.out: output"]


def test_a_target_has_the_input_of_the_prediction(tmp_path: Path) -> None:
    assert _names(_run(tmp_path), ("input",), Place("tensor", "target", 0)) == ["target", "model: input"]


def test_what_is_no_tensor_has_the_loss_and_all_inputs_of_the_step_around_it(tmp_path: Path) -> None:
    assert _names(_run(tmp_path), ("target", "input", "before"), Place("optimizer", "Adam")) == [
        "Adam",
        "target",
        "model: input",
        "model: input mask",
    ]


def test_a_parameter_has_what_is_computed_from_it(tmp_path: Path) -> None:
    names = _names(_run(tmp_path), ("loss", "prediction", "target"), Place("parameter", "model.body.weight"))
    assert names == ["model.body.weight", "scaled", "loss", "model.out: output"]


def test_what_goes_into_no_loss_has_none(tmp_path: Path) -> None:
    kinds: tuple[Neighbour, ...] = ("loss", "target", "prediction")
    assert _names(_run(tmp_path), kinds, Place("tensor", "model: input mask", 0)) == ["model: input mask"]


def test_without_a_loss_function_the_prediction_is_what_a_module_returned_last(tmp_path: Path) -> None:
    names = _names(_run(tmp_path, has_loss_function=False), ("prediction", "target"), Place("tensor", "model: input", 0))
    assert names == ["model: input", "model.out: output"]


def test_a_rule_that_says_nothing_keeps_its_places(tmp_path: Path) -> None:
    places = Place("parameter", "model.body.weight"), Place("run"), Place("tensor", "target", 0)
    assert _names(_run(tmp_path), (), *places) == ["model.body.weight", "run", "target"]
