"""The rule `growing-with-depth`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.findings.rules.activations.growing_with_depth import RULE
from comgra_export.analysis.history.run import Run
from support.analysis.runs import Given, RunByHand


def _run(tmp_path: Path, deviations: Sequence[float], kind: str = "Linear") -> Run:
    """Layers in a row, each with values of a standard deviation."""
    names = [f"model.{number}: output" for number in range(len(deviations))]
    layers = [Given(name, parents=tuple(names[max(at - 1, 0) : at]), module=f"model.{at}") for at, name in enumerate(names)]
    modules = {"model": "Net", **{f"model.{at}": kind for at in range(len(names))}}
    written = RunByHand(tmp_path, [Given("w", "parameter"), *layers], modules=modules)
    values = {name: np.array([[-1.0], [1.0]]) * size for name, size in zip(names, deviations, strict=True)}
    written.step(0, {"w": np.ones(2), **values}, {"w": 0.1})
    return written.read()


def test_growth_from_layer_to_layer_is_named_where_it_begins(tmp_path: Path) -> None:
    (finding,) = RULE.check(_run(tmp_path, [1, 4, 12]))
    assert [place.name for place in finding.places] == ["model.1: output", "model.2: output"]
    assert finding.value == pytest.approx(12)


@pytest.mark.parametrize("deviations", [[2, 4, 19], [0.1, 4, 9], [12, 4, 1]], ids=["relative", "absolute", "shrinking"])
def test_anything_less_is_not(tmp_path: Path, deviations: list[float]) -> None:
    assert list(RULE.check(_run(tmp_path, deviations))) == []


def test_only_linear_layers_count(tmp_path: Path) -> None:
    with pytest.raises(NotCheckedError, match="fewer than two linear layers"):
        list(RULE.check(_run(tmp_path, [1, 4, 12], "ReLU")))
