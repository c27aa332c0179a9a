"""The rule `branch-without-effect`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.findings.rules.activations.branch_without_effect import RULE
from comgra_export.analysis.history.run import Run
from support.analysis.runs import Given, RunByHand

RANDOM = np.random.default_rng(0)
AROUND, BRANCH = RANDOM.normal(size=(8, 32)), RANDOM.normal(size=(8, 32))


def _run(
    tmp_path: Path, first: float, later: float, operation: str = "AddBackward0", cut: tuple[str, ...] = (), module: str | None = None
) -> Run:
    """A sum of two tensors, of which the second is multiplied with a factor on the way. `module` made the first tensor."""
    sums = Given("sum", operation=operation, parents=("x", "branch"), cut=cut)
    tensors = [Given("w", "parameter"), Given("x", module=module), Given("branch"), sums]
    written = RunByHand(tmp_path, tensors)
    for step in range(8):
        total = AROUND + (first if step < 4 else later) * BRANCH
        written.step(step, {"w": np.ones(2), "x": AROUND, "branch": BRANCH, "sum": total}, {"w": 0.1})
    return written.read()


def test_a_branch_that_changes_nothing_is_named(tmp_path: Path) -> None:
    (finding,) = RULE.check(_run(tmp_path, 1.0, 1e-4))
    assert (finding.place.name, finding.step) == ("branch", 4)


def test_a_branch_that_begins_small_and_one_of_a_percent_are_fine(tmp_path: Path) -> None:
    assert list(RULE.check(_run(tmp_path / "begins", 0.0, 0.5))) == []
    assert list(RULE.check(_run(tmp_path / "percent", 0.01, 0.01))) == []


@pytest.mark.parametrize(
    ("factor", "size", "count"), [(2e-4, 90.0, 1), (2e-4, 600.0, 0), (3e-3, 6.0, 0)], ids=["grows", "has an effect", "not scaled down"]
)
def test_a_branch_that_is_scaled_down_may_grow(tmp_path: Path, factor: float, size: float, count: int) -> None:
    """Its effect is about the product, in parts of the other tensor: 0.018, 0.12 and 0.018 of their size."""
    tensors = [Given("w", "parameter"), Given("x"), Given("branch"), Given("sum", operation="AddBackward0", parents=("x", "branch"))]
    written = RunByHand(tmp_path, tensors)
    for step in range(8):
        large = size * (step + 1) / 8 * BRANCH
        written.step(step, {"w": np.ones(2), "x": AROUND, "branch": large, "sum": AROUND + factor * large}, {"w": 0.1})
    findings = list(RULE.check(written.read()))
    assert [finding.place.name for finding in findings] == ["branch"] * count
    if count:
        assert "although it has grown to" in findings[0].message


def test_a_straight_through_estimate_is_meant_to_be_like_that(tmp_path: Path) -> None:
    assert list(RULE.check(_run(tmp_path / "whole", 1e-4, 1e-4))) != []
    with pytest.raises(NotCheckedError, match="no sum"):
        list(RULE.check(_run(tmp_path / "cut", 1e-4, 1e-4, cut=("x",))))


def test_sums_on_the_way_to_the_loss_are_no_branches(tmp_path: Path) -> None:
    with pytest.raises(NotCheckedError, match="no sum"):
        list(RULE.check(_run(tmp_path, 1e-4, 1e-4, module="model.0")))


@pytest.mark.parametrize(("factor", "count"), [(0.8, 1), (1.2, 0)])
def test_the_largest_change_of_a_sample_counts(tmp_path: Path, factor: float, count: int) -> None:
    # All samples of the first tensor are the same, so that their largest magnitude changes most in the sample with the largest branch.
    around = np.tile(np.linspace(-1, 1, 32), (8, 1))
    branch = np.zeros((8, 32))
    branch[:, -1] = np.arange(8) / 7
    tensors = [Given("w", "parameter"), Given("x"), Given("branch"), Given("sum", operation="AddBackward0", parents=("x", "branch"))]
    written = RunByHand(tmp_path, tensors)
    for step in range(8):
        total = around + factor * 1e-3 * np.abs(around).mean() * branch
        written.step(step, {"w": np.ones(2), "x": around, "branch": branch, "sum": total}, {"w": 0.1})
    assert len(list(RULE.check(written.read()))) == count


def test_it_needs_a_sum(tmp_path: Path) -> None:
    with pytest.raises(NotCheckedError, match="no sum"):
        list(RULE.check(_run(tmp_path, 1.0, 1e-4, operation="MulBackward0")))
