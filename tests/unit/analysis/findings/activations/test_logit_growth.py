"""The rule `logit-growth`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.findings.rules.activations.logit_growth import RULE
from comgra_export.analysis.history.run import Run
from support.analysis.runs import Given, RunByHand


def _run(tmp_path: Path, start: float, end: float, operation: str = "SoftmaxBackward0", mask: float = 0.0) -> Run:
    written = RunByHand(tmp_path, [Given("w", "parameter"), Given("s"), Given("p", operation=operation, parents=("s",))])
    for step in range(6):
        largest = start if step < 4 else end
        written.step(step, {"w": np.ones(2), "s": np.array([[mask, largest]]), "p": np.ones((1, 2))}, {"w": 0.1})
    return written.read()


def test_what_grows_beyond_ten_thousand_is_named(tmp_path: Path) -> None:
    (finding,) = RULE.check(_run(tmp_path, 100, 11_000))
    assert (finding.place.name, finding.step, finding.value) == ("s", 4, 11_000)


@pytest.mark.parametrize(("start", "end", "mask"), [(100, 9_000, 0.0), (2_000, 11_000, 0.0), (1, 5, -1e9)])
def test_smaller_ones_and_masks_are_not(tmp_path: Path, start: float, end: float, mask: float) -> None:
    assert list(RULE.check(_run(tmp_path, start, end, mask=mask))) == []


def test_it_needs_a_softmax(tmp_path: Path) -> None:
    with pytest.raises(NotCheckedError, match="softmax"):
        list(RULE.check(_run(tmp_path, 1, 1e6, "ReluBackward0")))
