"""Chances and corrections: normal tails, exact tables, Benjamini and Hochberg."""

from __future__ import annotations

from math import comb, erfc, exp, log, sqrt
from typing import NamedTuple

import numpy as np

from comgra_export.analysis.history.series import Floats, Integers

__all__ = ["OddsRatio", "benjamini_hochberg", "fisher_exact", "normal_quantile", "odds_ratio", "two_sided"]

_WIDTH_95 = 1.959963984540054


def two_sided(z: Floats) -> Floats:
    """The chance that a standard normal number is at least as far from 0 as each of these. NaN becomes 1."""
    flat = [erfc(abs(value) / sqrt(2)) if value == value else 1.0 for value in np.ravel(z)]
    return np.array(flat, np.float64).reshape(np.shape(z))


def normal_quantile(tail: float) -> float:
    """The number that a standard normal one exceeds with this chance, of at most a half."""
    low, high = 0.0, 40.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if erfc(middle / sqrt(2)) / 2 > tail else (low, middle)
    return low


def benjamini_hochberg(p: Floats) -> Floats:
    """The smallest share of false discoveries at which each hypothesis is rejected.

    Args:
        p: The p-value of each.
    """
    count = len(p)
    order = np.argsort(p, kind="stable")
    scaled = p[order] * count / np.arange(1, count + 1)
    q = np.empty(count)
    q[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0)
    return q


def fisher_exact(table: Integers) -> float:
    """The two-sided p-value of a table `[2, 2]` of counts, given its margins."""
    (a, b), (c, d) = table.tolist()
    row, column, total = a + b, a + c, a + b + c + d
    ways = comb(total, column)
    observed = comb(row, a) * comb(total - row, column - a)
    smallest, largest = max(0, row + column - total), min(row, column)
    counts = (comb(row, k) * comb(total - row, column - k) for k in range(smallest, largest + 1))
    return float(sum(count for count in counts if count <= observed) / ways)


class OddsRatio(NamedTuple):
    """An odds ratio with its interval of 95 %."""

    value: float
    low: float
    high: float


def odds_ratio(table: Integers) -> OddsRatio:
    """The odds ratio of a table `[2, 2]` of counts. A half is added to each, so that it is finite."""
    (a, b), (c, d) = (table + 0.5).tolist()
    center = log(a * d / (b * c))
    width = _WIDTH_95 * sqrt(1 / a + 1 / b + 1 / c + 1 / d)
    return OddsRatio(exp(center), exp(center - width), exp(center + width))
