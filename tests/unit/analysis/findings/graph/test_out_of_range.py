"""How many values lie outside a range, by their histogram."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from comgra_export.analysis.findings.rules.out_of_range import count_outside
from comgra_export.storage.arrays.histograms import histogram_of

VALUES = np.array([-3, -1.25, -1.2, -1, -1e-5, 0, 1e-5, 0.5, 1, 1.2, 1.25, 2, np.nan, np.inf], np.float32)
"""From 1 to 2, bins begin at 1, 1.25, 1.5 and 1.75. What lies in the bin that holds the limit may be within."""


@pytest.mark.parametrize(
    ("low", "high", "count"),
    [(-1, 1, 4), (0, inf, 4), (-inf, 0, 5), (-inf, inf, 0), (-1, inf, 2), (-1.25, 1.2, 3), (0.5, 1, 0), (-5, 5, 0)],
)
def test_values_in_bins_that_lie_outside_are_counted(low: float, high: float, count: int) -> None:
    histogram, _ = histogram_of(VALUES)
    assert count_outside(histogram, low, high) == count
