"""The numbers of records over the steps, so that those of one record lie beside each other."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from comgra_export.analysis.history.series import ITEMS, Floats, Integers

__all__ = ["AGGREGATIONS", "COUNTS", "Columns"]

AGGREGATIONS = 3
"""Over the batch: mean, largest magnitude, standard deviation."""

COUNTS = 5
"""How many counts a record has in a step."""

_FIRST_ROOM = 32

_Number = TypeVar("_Number", bound=np.generic)


class Columns:
    """The numbers of `K` records. Each has as many steps as hold it.

    A series is a part of these arrays, without a copy. They have room for more steps than were added.

    Attributes:
        lengths: `[K]`: how many steps each record has.
        statistics: float32 `[K, room, 5, 3]`.
        extrema: `[K, room, 2]`.
        counts: `[K, room, 5]`.
    """

    def __init__(self, records: int) -> None:
        self.lengths: Integers = np.zeros(records, np.int64)
        self.statistics = np.empty((records, _FIRST_ROOM, len(ITEMS), AGGREGATIONS), np.float32)
        self.extrema: Floats = np.empty((records, _FIRST_ROOM, 2))
        self.counts: Integers = np.empty((records, _FIRST_ROOM, COUNTS), np.int64)

    def append(self, records: Integers, statistics: NDArray[np.float32], extrema: Floats, counts: Integers, left: int) -> None:
        """Adds a step.

        Args:
            records: Which records it holds, `R` of them.
            statistics: Their statistics, `[R, 5, 3]`.
            extrema: `[R, 2]`.
            counts: `[R, 5]`.
            left: How many more steps may come.
        """
        places = self.lengths[records]
        room = self.counts.shape[1]
        if places.max() == room:
            more = min(room, left + 1)
            # One after the other, so that little is in memory twice.
            self.statistics = _with_more_room(self.statistics, more)
            self.extrema = _with_more_room(self.extrema, more)
            self.counts = _with_more_room(self.counts, more)
        self.statistics[records, places] = statistics
        self.extrema[records, places] = extrema
        self.counts[records, places] = counts
        self.lengths[records] += 1


def _with_more_room(array: NDArray[_Number], more: int) -> NDArray[_Number]:
    """The same numbers with room for so many more steps."""
    records, room, *rest = array.shape
    larger = np.empty((records, room + more, *rest), array.dtype)
    larger[:, :room] = array
    return larger
