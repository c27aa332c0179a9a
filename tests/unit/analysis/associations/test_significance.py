"""Chances and corrections, against numbers from tables and counting by hand."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from comgra_export.analysis.associations.significance import benjamini_hochberg, fisher_exact, normal_quantile, odds_ratio, two_sided


def test_tails_of_the_normal_distribution_are_those_of_tables() -> None:
    assert two_sided(np.array([0.0, 1.959964, -2.575829, np.nan])) == pytest.approx([1.0, 0.05, 0.01, 1.0], rel=1e-5)
    assert [normal_quantile(tail) for tail in (0.5, 0.2, 0.025)] == pytest.approx([0.0, 0.841621, 1.959964], abs=1e-5)


def test_the_correction_accepts_a_share_of_false_discoveries() -> None:
    # Sorted 0.01, 0.02, 0.03, 0.8: times 4 / rank that is 0.04, 0.04, 0.04, 0.8.
    assert benjamini_hochberg(np.array([0.8, 0.01, 0.03, 0.02])) == pytest.approx([0.8, 0.04, 0.04, 0.04])
    # A later one may be smaller than an earlier one: it then counts for both.
    assert benjamini_hochberg(np.array([0.03, 0.031])) == pytest.approx([0.031, 0.031])


def test_a_small_table_is_exact() -> None:
    assert fisher_exact(np.array([[3, 1], [1, 3]])) == pytest.approx(34 / 70)
    # By listing all orders of three events among seven, four of which are extreme.
    events, extreme = (1, 1, 1, 0, 0, 0, 0), (1, 1, 1, 1, 0, 0, 0)
    hits = [sum(a * b for a, b in zip(order, extreme, strict=True)) for order in permutations(events)]
    shares = {count: hits.count(count) / len(hits) for count in set(hits)}
    observed = shares[3]
    assert fisher_exact(np.array([[3, 1], [0, 3]])) == pytest.approx(sum(each for each in shares.values() if each <= observed + 1e-12))


def test_the_odds_ratio_has_half_a_sample_more_in_each_cell() -> None:
    ratio = odds_ratio(np.array([[9, 4], [1, 19]]))
    assert ratio.value == pytest.approx(9.5 * 19.5 / (4.5 * 1.5))
    width = 1.959964 * np.sqrt(1 / 9.5 + 1 / 4.5 + 1 / 1.5 + 1 / 19.5)
    assert (ratio.low, ratio.high) == pytest.approx((ratio.value / np.exp(width), ratio.value * np.exp(width)))
    assert odds_ratio(np.array([[5, 0], [0, 5]])).value == pytest.approx(121)
