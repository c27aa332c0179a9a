"""Ranks within steps, and their means per sample."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest

from comgra_export.analysis.associations.ranks import Rows, correlate, midranks


def test_equal_values_share_their_rank() -> None:
    assert midranks(np.array([[3.0, 1.0, 3.0, 2.0], [5.0, 5.0, 5.0, 5.0]])).tolist() == [[3.5, 1, 3.5, 2], [2.5, 2.5, 2.5, 2.5]]


def test_ranks_are_those_of_the_step() -> None:
    rows = Rows(np.array([0, 0, 0, 0, 1, 1]), np.arange(6))
    # The second step has far larger values, and its ranks are the same.
    ranks = rows.ranks(np.array([[4.0, 1.0, 2.0, 3.0, 100.0, 200.0], [1.0, 2.0, np.nan, 4.0, 2.0, 1.0]]))
    assert ranks.tolist() == [[0.375, -0.375, -0.125, 0.125, -0.25, 0.25], [0, 0, 0, 0, 0.25, -0.25]]


def test_a_sample_counts_once_with_its_mean() -> None:
    rows = Rows(np.array([0, 0, 1, 1]), np.array([1, 0, 1, 2]))
    assert rows.samples == 3
    assert rows.per_sample(np.array([[1.0, 5.0, 3.0, 7.0]])).tolist() == [[5.0, 2.0, 7.0]]
    assert rows.centered(np.array([[1.0, 5.0, 3.0, 7.0]])).tolist() == [[-2.0, 2.0, -2.0, 2.0]]


def test_chosen_rows_have_numbers_of_their_own() -> None:
    rows = Rows(np.array([0, 0, 1, 2, 2]), np.array([4, 3, 2, 1, 0])).at(np.array([True, False, False, True, True]))
    assert (rows.steps.tolist(), rows.ids.tolist()) == ([0, 1, 1], [2, 1, 0])


def test_the_spread_of_a_correlation_by_chance_is_that_over_all_orders() -> None:
    """Three steps of three new samples: every order of the ranks within the steps."""
    rows = Rows(np.repeat([0, 1, 2], 3), np.arange(9))
    x = rows.ranks(np.array([[1.0, 2.0, 3.0, 1.0, 2.0, 3.0, 1.0, 2.0, 3.0]]))
    orders = [np.array(order, np.float64) for order in permutations([1, 2, 3])]
    all_y = np.array([np.concatenate(steps) for steps in product(orders, repeat=3)])
    r = correlate(rows.ranks(all_y), x)[:, 0]
    # 216 correlations. 1 / variance is what a p-value multiplies the squared correlation by.
    assert 1 / r.var() == pytest.approx(rows.samples * rows.freedom) == pytest.approx(6)


def test_what_is_constant_correlates_with_nothing() -> None:
    assert correlate(np.array([[1.0, 1.0, 1.0], [1.0, 2.0, 3.0]]), np.array([[3.0, 2.0, 1.0]])).ravel() == pytest.approx([0, -1])
