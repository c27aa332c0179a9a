"""The rule `saturated-units`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from comgra_export.analysis.findings.model.finding import Severity
from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.findings.rules.activations.saturated_units import RULE
from comgra_export.analysis.history.run import Run
from support.analysis.runs import Array, Given, RunByHand


def _run(
    tmp_path: Path, values: Array, operation: str = "TanhBackward0", child: str | None = "AddmmBackward0", histogram: bool = True
) -> Run:
    tensors = [Given("w", "parameter"), Given("a", operation=operation, histogram=histogram)]
    if child is not None:
        tensors.append(Given("out", operation=child, parents=("a",)))
    written = RunByHand(tmp_path, tensors)
    for step in range(6):
        written.step(step, {"w": np.ones(2), "a": values, "out": np.ones((2, 1))} if child else {"w": np.ones(2), "a": values}, {"w": 0.1})
    return written.read()


def _shares(low: float, low_share: float, high: float, high_share: float) -> Array:
    """A thousand values: shares at two ends, and the rest in the middle."""
    middle = np.full(1000 - int(1000 * low_share) - int(1000 * high_share), (low + high) / 2)
    ends = [np.full(int(1000 * low_share), low), np.full(int(1000 * high_share), high)]
    return np.concatenate([*ends, middle]).reshape(100, 10)


def test_saturated_tanh_between_layers_is_named(tmp_path: Path) -> None:
    (finding,) = RULE.check(_run(tmp_path, _shares(-0.98, 0.3, 0.98, 0.3)))
    assert (finding.place.name, finding.severity) == ("a", Severity.PROBLEM)
    # What the quartiles prove.
    assert finding.value == pytest.approx(0.5)


@pytest.mark.parametrize(("low", "high"), [(-0.96, 0.96), (-0.98, 0.96)])
def test_less_is_not(tmp_path: Path, low: float, high: float) -> None:
    assert list(RULE.check(_run(tmp_path, _shares(low, 0.3, high, 0.3)))) == []


def test_a_sigmoid_has_limits_of_its_own(tmp_path: Path) -> None:
    assert len(list(RULE.check(_run(tmp_path / "ends", _shares(0.02, 0.6, 0.98, 0.0), "SigmoidBackward0")))) == 1
    assert list(RULE.check(_run(tmp_path / "inside", _shares(0.04, 0.6, 0.98, 0.0), "SigmoidBackward0"))) == []


def test_a_gate_is_a_symptom_and_an_output_is_fine(tmp_path: Path) -> None:
    values = _shares(0.02, 0.6, 0.98, 0.1)
    (finding,) = RULE.check(_run(tmp_path / "gate", values, "SigmoidBackward0", "MulBackward0"))
    assert finding.severity == Severity.SYMPTOM
    with pytest.raises(NotCheckedError, match="between layers"):
        list(RULE.check(_run(tmp_path / "output", values, "SigmoidBackward0", None)))


def test_it_needs_a_histogram(tmp_path: Path) -> None:
    with pytest.raises(NotCheckedError, match="histogram"):
        list(RULE.check(_run(tmp_path, _shares(-1, 0.5, 1, 0.5), histogram=False)))
