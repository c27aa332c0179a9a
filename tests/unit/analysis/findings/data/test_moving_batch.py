"""The rule `repeated-batch` for batches that move over the data by a few samples."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from comgra_export.analysis.findings.model.finding import Finding, Severity
from comgra_export.analysis.findings.rules.data import moving_batch
from comgra_export.analysis.findings.rules.data.repeated_batch import RULE
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import TensorKey
from support.analysis.runs import Given, RunByHand

DATA = np.random.default_rng(0).normal(size=(200, 3))


def _check(folder: Path, begins: list[int], size: int = 6, steps: list[int] | None = None) -> list[Finding]:
    """Batches of some rows, all of which are recorded one by one."""
    written = RunByHand(folder, [Given("net: input", "input", values=True), Given("weight", "parameter")])
    for step, begin in zip(steps or range(len(begins)), begins, strict=True):
        written.step(step, {"net: input": DATA[begin : begin + size], "weight": [[1.0]]}, {"weight": 0.1})
    return list(RULE.check(written.read()))


@pytest.mark.parametrize("stride", [1, 4])
def test_a_batch_that_begins_at_the_number_of_the_step_is_named(tmp_path: Path, stride: int) -> None:
    (finding,) = _check(tmp_path, [stride * step for step in range(6)])
    assert (finding.place.name, finding.severity, finding.step, finding.value) == ("net: input", Severity.SYMPTOM, 1, 1.0)
    assert f"moved by {stride}, in all recorded steps" in finding.message
    assert f"So {6 - stride} of 6 samples of a batch were in the one before" in finding.message


@pytest.mark.parametrize(
    ("begins", "steps"),
    [
        ([6 * step for step in range(6)], None),
        # A single sample in common may be chance.
        ([5 * step for step in range(6)], None),
        (list(range(5)), None),
        # It moves by another number of samples each time.
        ([0, 1, 3, 4, 7, 9], None),
        # What lies between is not recorded.
        (list(range(6)), [0, 2, 4, 6, 8, 10]),
    ],
    ids=["one after the other", "one in common", "four pairs", "uneven", "gaps"],
)
def test_other_batches_are_in_order(tmp_path: Path, begins: list[int], steps: list[int] | None) -> None:
    assert _check(tmp_path, begins, steps=steps) == []


def test_one_other_batch_in_ten_is_let_pass(tmp_path: Path) -> None:
    assert len(_check(tmp_path / "one", [*range(10), 100])) == 1
    assert _check(tmp_path / "two", [*range(9), 100, 150]) == []


def test_a_step_with_other_statistics_does_not_move(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tensor can be registered in another way in some steps. Then samples have fewer statistics there."""
    samples = moving_batch._samples

    def with_fewer(run: Run, key: TensorKey, position: int) -> NDArray[np.float64] | None:
        known = samples(run, key, position)
        return known[:3] if position == 11 and known is not None else known

    monkeypatch.setattr(moving_batch, "_samples", with_fewer)
    (finding,) = _check(tmp_path, list(range(12)))
    # Eleven pairs, the last of which does not move.
    assert finding.value == pytest.approx(10 / 11)
