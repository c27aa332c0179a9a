"""Associations are seldom false and mostly report: a small part of `python -m evaluation.associations`, with fixed seeds."""

from __future__ import annotations

import numpy as np
import pytest

from comgra_export.analysis.associations.over_steps import compare_series
from comgra_export.analysis.history.graph import StepGraph
from evaluation.associations import Case, false_discovery, power, series

RUNS = 8


@pytest.mark.parametrize("case", [Case(), Case(distinct=240, steps=30), Case(steps=200, batch=5)], ids=["new", "again", "five per step"])
def test_drift_and_repeated_samples_are_no_associations(case: Case) -> None:
    pooled, ours = false_discovery(case, RUNS)
    # Pooled samples of all steps correlate since everything drifts.
    assert pooled == 1
    assert ours == 0


def test_series_that_drift_are_no_associations() -> None:
    for seed in range(RUNS):
        assert compare_series(series(60, 40, np.random.default_rng(seed)), StepGraph()).reported == ()


def test_a_series_that_moves_with_the_loss_is_reported() -> None:
    table = series(60, 5, np.random.default_rng(0))
    key = next(iter(table.series))
    moved = {**table.series, key: table.loss + 0.1 * np.random.default_rng(1).normal(size=60) + np.linspace(0, 30, 60)}
    (report,) = compare_series(type(table)(table.numbers, moved, table.loss_key, table.loss), StepGraph()).reported
    assert report.message.startswith(
        f"In steps in which the mean magnitude of `{key.name}` rises, the loss tends to rise (rank correlation"
    )
    assert report.effect > 0.9
    later = {**table.series, key: np.roll(table.loss, -2)}
    (ahead,) = compare_series(type(table)(table.numbers, later, table.loss_key, table.loss), StepGraph()).reported
    assert "tends to rise 2 recorded steps later" in ahead.message


def test_a_category_and_a_feature_with_an_effect_are_found() -> None:
    assert power(Case(prevalence=0.1, ratio=2.0), "category", RUNS)[0] == 1
    assert power(Case(effect=0.6), "feature", RUNS)[0] == 1


def test_a_tensor_that_is_sparse_for_extreme_samples_is_found() -> None:
    assert power(Case(sparse=0.03, sparse_if_extreme=0.6, features=10), "event", RUNS)[0] == 1
