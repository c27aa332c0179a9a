"""The graph of a step, put together from those of its iterations."""

from __future__ import annotations

from pathlib import Path

import pytest

from comgra_export.analysis.findings.rules.graph import summed_loss
from comgra_export.analysis.history.graph import graph_of
from comgra_export.analysis.history.series import TensorKey
from comgra_export.errors import DamagedRecordingError
from comgra_export.storage import ShownTensor, Structure
from support.analysis.runs import Given, RunByHand, loss_call


def _structure(*edges: tuple[tuple[str, int], tuple[str, int]]) -> Structure:
    """The graph of an iteration with these edges."""
    keys = list(dict.fromkeys(key for edge in edges for key in edge))
    shown = tuple(ShownTensor(f"{name} {iteration}", name, name, "calculated", name, iteration) for name, iteration in keys)
    return Structure(shown, tuple((keys.index(source), keys.index(target)) for source, target in edges))


def test_a_state_that_depends_on_itself_an_iteration_before_is_no_circle() -> None:
    first = _structure((("x", 0), ("h", 0)), (("h", 0), ("y", 0)))
    second = _structure((("h", 0), ("h", 1)), (("y", 0), ("h", 1)), (("h", 1), ("y", 1)))
    assert graph_of([first, second]).depth == {
        TensorKey("x", 0): 0,
        TensorKey("h", 0): 1,
        TensorKey("y", 0): 2,
        TensorKey("h", 1): 3,
        TensorKey("y", 1): 4,
    }


def test_names_that_share_a_record_are_no_circle() -> None:
    shown = (ShownTensor("x", "x", "x", "input", "x", 0), ShownTensor("same", "same", "same", "calculated", "x", 0))
    assert graph_of([Structure(shown, ((0, 1),))]).depth == {TensorKey("x", 0): 0}


def test_a_circle_is_damage_even_if_it_goes_through_two_iterations() -> None:
    there, back = (("a", 0), ("b", 0)), (("b", 0), ("a", 0))
    with pytest.raises(DamagedRecordingError, match="computed from one another in a circle, and 'a' is in it"):
        graph_of([_structure(there, back)])
    with pytest.raises(DamagedRecordingError, match="in a circle"):
        graph_of([_structure(there), _structure(back)])


def test_a_run_with_a_circle_has_no_graph_and_says_so(tmp_path: Path) -> None:
    tensors = [
        Given("weight", "parameter"),
        Given("out", parents=("loss",)),
        Given("target", "target"),
        Given("loss", "loss", parents=("out",), batch=False),
    ]
    written = RunByHand(tmp_path, tensors)
    values = {"weight": [[1.0]], "out": [[1.0], [2.0]], "target": [0, 1], "loss": 1.0}
    call = loss_call("mse_loss", "out", reduction="mean")
    written.step(0, values, {"weight": 0.1}, updates={"weight": (1.0, 0.5)}, losses=(call,), backward_roots=(call.result,))
    run = written.read()
    assert run.graph(0).shown == {}
    (problem,) = run.problems
    assert "'out' is in it or behind it" in problem
    # It follows the way back from the loss, which has an end.
    assert list(summed_loss.RULE.check(run)) == []
