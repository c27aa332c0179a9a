"""The rule `renumbered-classes`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from comgra_export.analysis.findings.model.finding import Finding
from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.findings.rules.data.renumbered_classes import RULE
from support.analysis.runs import Given, RunByHand, loss_call


def _check(folder: Path, steps: list[list[int]], classes: int = 12) -> list[Finding]:
    tensors = [
        Given("scores"),
        Given("target", "target", dtype="I16", histogram=True),
        Given("loss", "loss", parents=("scores", "target"), batch=False),
    ]
    written = RunByHand(folder, tensors)
    for step, target in enumerate(steps):
        values = {"scores": np.zeros((len(target), classes)), "target": target, "loss": 1.0}
        written.step(step, values, {"scores": 0.1}, losses=(loss_call("cross_entropy", "scores", reduction="mean"),))
    return list(RULE.check(written.read()))


def _chance(steps: list[list[int]]) -> float:
    """By hand: in each step, each class below the largest one is there at least once."""
    every = [number for step in steps for number in step]
    present = [1 - (1 - every.count(number) / len(every)) ** len(step) for step in steps for number in range(max(step))]
    return float(np.prod(present))


# A batch of six samples has three to five of many classes.
NEW = [[0, 1, 2, 2, 3, 3], [0, 1, 1, 1, 2, 2], [4, 3, 2, 1, 0, 0]] * 12


def test_classes_that_are_numbered_in_each_batch_are_named(tmp_path: Path) -> None:
    (finding,) = _check(tmp_path, NEW)
    assert (finding.place.name, finding.step) == ("target", 0)
    assert _chance(NEW) < 1e-6
    assert finding.value == pytest.approx(_chance(NEW))


@pytest.mark.parametrize(
    "steps",
    [
        # One gap is enough.
        [*NEW, [0, 1, 3, 3, 4, 2], [0, 1, 3, 3, 1, 1]],
        # By chance, it is more probable than one in a million.
        NEW[:18],
        # All classes are there, or one.
        [[0, 1, 2, 0, 1, 2]] * 18,
        [[0] * 6] * 18,
        # Each batch holds as many of each class, or is an episode with a sample of each.
        [[0, 0, 1, 1, 2, 2, 3, 3]] * 50,
        [[0, 1, 2, 3, 4]] * 50,
        # So it does apart from the last batch of an epoch, which is shorter.
        ([[0, 0, 1, 1, 2, 2, 3, 3]] * 9 + [[0, 1, 2]]) * 5,
        # Each class is much rarer than the one before.
        [[0] * 6, [0] * 5 + [1], [0] * 5 + [1]] * 5 + [[0] * 4 + [1, 2]],
        # Several classes share a bin from 8 on.
        [list(range(10)), list(range(9))] * 20,
    ],
    ids=["a gap", "few steps", "all", "one", "balanced", "episodes", "balanced, with a short one", "rare ones", "many classes"],
)
def test_other_classes_are_in_order(tmp_path: Path, steps: list[list[int]]) -> None:
    assert _check(tmp_path, steps) == []


def test_a_shorter_batch_hides_no_new_numbers(tmp_path: Path) -> None:
    assert len(_check(tmp_path, [*NEW, [0, 1, 2]])) == 1


def test_four_steps_are_too_few(tmp_path: Path) -> None:
    with pytest.raises(NotCheckedError, match="fewer than 5 training steps"):
        _check(tmp_path, NEW[:4])
