"""What two runs are compared by, and what their first difference is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from comgra_export.analysis.history.series import ITEMS, RecordKey

__all__ = ["AGGREGATIONS", "NUMBERS", "Difference", "Observed", "Reason"]

AGGREGATIONS = ("mean", "abs_max", "std")
"""Over the batch, in order."""

NUMBERS = (*(f"{aggregation} of {item}" for item in ITEMS for aggregation in AGGREGATIONS), "min", "max")
"""What each number of a record is, in order."""

Reason = str
"""Why two records differ: `shape`, `absent` (one has no gradient), `not finite` (other counts of NaN or infinities), `zeros`, `numbers`."""


@dataclass(frozen=True, eq=False)
class Observed:
    """The records of a step. Letters: `R` records.

    Attributes:
        rows: The row of each record, in the order of the recording.
        numbers: float64 `[R, 17]`, as `NUMBERS` says; NaN if a number was not recorded.
        counts: int64 `[R, 5]`: NaN, infinities, negative infinities, zeros, and whether a gradient was absent.
        shapes: The shape of each.
    """

    rows: Mapping[RecordKey, int]
    numbers: NDArray[np.float64]
    counts: NDArray[np.int64]
    shapes: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Difference:
    """The first difference of two runs.

    Attributes:
        step: The step.
        key: The record that comes first in the order of computation among those that differ.
        reason: Why it differs.
        number: Which number differs most, one of `NUMBERS`; empty if the reason is not `numbers`.
        left: That number, or the count, or the shape as a text, in the first run.
        right: The same in the second run.
        relative: How large the difference is, relative to the largest magnitude of the record in both runs; infinite if only one of the
            numbers is known or finite, or the reason is not `numbers`.
        differing: How many records of the step differ.
        compared: How many records of the step both runs have.
    """

    step: float
    key: RecordKey
    reason: Reason
    number: str
    left: float | str
    right: float | str
    relative: float
    differing: int
    compared: int
