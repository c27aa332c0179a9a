"""The rule `near-overflow`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.findings.rules.activations.near_overflow import RULE
from comgra_export.analysis.history.run import Run
from support.analysis.runs import Given, RunByHand


def _run(tmp_path: Path, smallest: float, largest: float, dtype: str = "F16", child: str = "ReluBackward0") -> Run:
    tensors = [Given("w", "parameter"), Given("h", dtype=dtype), Given("out", operation=child, parents=("h",))]
    written = RunByHand(tmp_path, tensors)
    for step in range(5):
        written.step(step, {"w": np.ones(2), "h": np.array([[smallest], [largest]]), "out": np.ones((2, 1))}, {"w": 0.1})
    return written.read()


def test_values_above_a_tenth_of_the_largest_are_named(tmp_path: Path) -> None:
    (finding,) = RULE.check(_run(tmp_path / "above", -7000, 1))
    assert (finding.place.name, finding.value) == ("h", 7000)
    assert list(RULE.check(_run(tmp_path / "below", -6500, 6500))) == []


def test_a_mask_before_a_softmax_does_not_count(tmp_path: Path) -> None:
    assert list(RULE.check(_run(tmp_path / "mask", -65504, 10, child="SoftmaxBackward0"))) == []
    assert len(list(RULE.check(_run(tmp_path / "large", -65504, 7000, child="SoftmaxBackward0")))) == 1


def test_only_float16_is_checked(tmp_path: Path) -> None:
    with pytest.raises(NotCheckedError, match="float16"):
        list(RULE.check(_run(tmp_path, -7000, 1, dtype="BF16")))
