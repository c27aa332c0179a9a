"""The rule `growing-with-depth`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.findings.rules.activations.growing_with_depth import RULE
from comgra_export.analysis.history.run import Run
from comgra_export.storage import LossCall
from support.analysis.runs import Given, RunByHand, loss_call


def _run(
    tmp_path: Path, deviations: Sequence[float], kind: str = "Linear", losses: tuple[LossCall, ...] = (), between: str | None = None
) -> Run:
    """Layers in a row, each with values of a standard deviation, perhaps with an activation before each but the first."""
    names = [f"model.{number}: output" for number in range(len(deviations))]
    tensors = [Given("w", "parameter"), Given(names[0], module="model.0")]
    for at, name in enumerate(names[1:], 1):
        before = names[at - 1]
        if between is not None:
            tensors.append(Given(f"activation {at}", operation=between, parents=(before,)))
            before = f"activation {at}"
        tensors.append(Given(name, parents=(before,), module=f"model.{at}"))
    modules = {"model": "Net", **{f"model.{at}": kind for at in range(len(names))}}
    written = RunByHand(tmp_path, tensors, modules=modules)
    values = {given.name: np.array([[-1.0], [1.0]]) for given in tensors}
    values |= {name: np.array([[-1.0], [1.0]]) * size for name, size in zip(names, deviations, strict=True)}
    written.step(0, {**values, "w": np.ones(2)}, {"w": 0.1}, losses=losses)
    return written.read()


def test_growth_from_layer_to_layer_is_named_where_it_begins(tmp_path: Path) -> None:
    (finding,) = RULE.check(_run(tmp_path, [1, 4, 12]))
    assert [place.name for place in finding.places] == ["model.1: output", "model.2: output"]
    assert finding.value == pytest.approx(12)


@pytest.mark.parametrize("deviations", [[2, 4, 19], [0.1, 4, 9], [12, 4, 1]], ids=["relative", "absolute", "shrinking"])
def test_anything_less_is_not(tmp_path: Path, deviations: list[float]) -> None:
    assert list(RULE.check(_run(tmp_path, deviations))) == []


@pytest.mark.parametrize(("deviations", "count"), [((1, 2, 12), 0), ((1, 4, 12), 1)], ids=["the prediction alone", "a layer before it"])
def test_one_large_prediction_is_no_depth(tmp_path: Path, deviations: Sequence[float], count: int) -> None:
    assert len(list(RULE.check(_run(tmp_path, deviations, losses=(loss_call("cross_entropy", "model.2: output"),))))) == count


@pytest.mark.parametrize(("operation", "count"), [("TanhBackward0", 0), ("SigmoidBackward0", 0), ("ReluBackward0", 1)])
def test_layers_after_bounded_values_do_not_grow_with_depth(tmp_path: Path, operation: str, count: int) -> None:
    """In both of the large layers, it is the weights that are large."""
    assert len(list(RULE.check(_run(tmp_path, [1, 4, 12], between=operation)))) == count


def test_only_linear_layers_count(tmp_path: Path) -> None:
    with pytest.raises(NotCheckedError, match="fewer than two linear layers"):
        list(RULE.check(_run(tmp_path, [1, 4, 12], "ReLU")))
