"""The rule `same-for-all-tokens`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.findings.rules.activations.same_for_all_tokens import RULE
from comgra_export.analysis.history.run import Run
from support.analysis.runs import Given, RunByHand

NOISE = np.random.default_rng(0).normal(size=(3, 5, 16))


def _run(tmp_path: Path, noise_of_a: float, noise_of_b: float, values: bool = True) -> Run:
    """Tokens around a common vector of length 4: the cosine between two is about 1 / (1 + noise ** 2)."""
    tensors = [Given("w", "parameter"), Given("a", values=values), Given("b", parents=("a",), values=values)]
    written = RunByHand(tmp_path, tensors)
    for step in range(6):
        written.step(step, {"w": np.ones(2), "a": 1 + noise_of_a * NOISE, "b": 1 + noise_of_b * NOISE}, {"w": 0.1})
    return written.read()


def test_the_first_tensor_with_equal_tokens_is_named(tmp_path: Path) -> None:
    (finding,) = RULE.check(_run(tmp_path / "a", 0.05, 0.01))
    assert finding.place.name == "a"
    (finding,) = RULE.check(_run(tmp_path / "b", 1.0, 0.01))
    assert finding.place.name == "b"


def test_tokens_that_differ_are_fine(tmp_path: Path) -> None:
    assert list(RULE.check(_run(tmp_path, 0.2, 0.2))) == []


def test_it_needs_values(tmp_path: Path) -> None:
    with pytest.raises(NotCheckedError, match="no values"):
        list(RULE.check(_run(tmp_path, 0.01, 0.01, values=False)))
