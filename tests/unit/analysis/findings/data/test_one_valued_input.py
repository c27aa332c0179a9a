"""The rule `constant-input` for one input beside others."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from comgra_export.analysis.findings.model.finding import Finding, Severity
from comgra_export.analysis.findings.rules.data.constant_input import RULE
from support.analysis.runs import Given, RunByHand


def _check(
    folder: Path,
    *,
    rows: int = 9,
    values: tuple[float, ...] = (4,) * 5,
    samples: int = 40,
    operation: str = "EmbeddingBackward0",
    kind: str = "Embedding",
    dtype: str = "I16",
    other: float = 1.0,
) -> list[Finding]:
    """A category with one value in each step goes into a layer, beside numbers that differ between samples if `other` is not 0."""
    tensors = [
        Given("model.layer.weight", "parameter"),
        Given("model: input category", "input", dtype=dtype),
        Given("model: input numbers", "input"),
        Given("looked up", operation=operation, module="model.layer", parents=("model: input category", "model.layer.weight")),
        Given("out", operation="AddmmBackward0", parents=("looked up", "model: input numbers")),
    ]
    modules = {"model": "Net", "model.layer": kind}
    written = RunByHand(folder, tensors, modules, descriptions={"model.layer": f"{rows}, 6"})
    numbers = other * np.linspace(-1, 1, samples)[:, None]
    for step, value in enumerate(values):
        of_step = {"model.layer.weight": [[1.0]], "model: input category": np.full(samples, value), "model: input numbers": numbers}
        written.step(step, {**of_step, "looked up": np.ones((samples, 6)), "out": numbers}, {"model.layer.weight": 0.1})
    return list(RULE.check(written.read()))


def test_a_category_that_is_the_same_for_all_samples_is_a_symptom(tmp_path: Path) -> None:
    (finding,) = _check(tmp_path)
    assert ([place.name for place in finding.places], finding.severity) == (["model: input category", "model.layer"], Severity.SYMPTOM)
    # 5 steps of 40 samples.
    assert "is 4 for all 200 recorded samples, so `model.layer` looks up the same one of its 9 rows" in finding.message


@pytest.mark.parametrize(
    "given",
    [{"rows": 2}, {"samples": 39}, {"values": (4, 4, 4, 4, 5)}, {"operation": "MulBackward0"}],
    ids=["types of tokens", "few samples", "another value at last", "a factor"],
)
def test_what_may_well_have_one_value_is_not_named(tmp_path: Path, given: dict[str, object]) -> None:
    assert _check(tmp_path, **given) == []  # type: ignore[arg-type]


@pytest.mark.parametrize(("kind", "is_named"), [("Linear", True), ("GRU", False)])
def test_numbers_with_one_value_are_named_for_a_layer_and_not_as_the_state_of_a_recurrent_one(
    tmp_path: Path, kind: str, is_named: bool
) -> None:
    findings = _check(tmp_path, kind=kind, operation="AddmmBackward0", dtype="F32", values=(0,) * 5)
    assert len(findings) == is_named


def test_if_all_inputs_are_the_same_that_is_what_is_said(tmp_path: Path) -> None:
    (finding,) = _check(tmp_path, other=0.0)
    assert finding.severity == Severity.BUG
