"""From the arrays of steps to the statistics of all steps with the same layout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from comgra_export.reading.source import LayoutNumbers
from comgra_export.storage import BATCH_AGGREGATIONS, Blob, Layout, RecordPlace, iterate_records

__all__ = ["STATISTICS", "LayoutColumns"]

STATISTICS = frozenset({"counts", "extrema.F32", "extrema.F64", "statistics.F32", "statistics.F64"})
"""The arrays of a step that hold what is the same for a batch of any size."""

_OVER_BATCH = len(BATCH_AGGREGATIONS)
_PRECISIONS = ("F32", "F64")


class LayoutColumns:
    """The places of the statistics of a layout, and the room for those of all of its steps.

    Attributes:
        layout: The layout.
        places: Its records, `R` of them.
        pairs: `K` pairs of a record and one of its items: the position of the record, and the name of the item.
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.places: Sequence[RecordPlace] = tuple(iterate_records(layout))
        self.pairs = [(record, item) for record, place in enumerate(self.places) for item in place.entry.items]

    def room(self, steps: Sequence[float]) -> LayoutNumbers:
        """Room for the numbers of some steps: NaN and zeros."""
        count, records = len(steps), len(self.places)
        return LayoutNumbers(
            layout=self.layout,
            steps=np.array(steps, np.float64),
            statistics=np.full((count, len(self.pairs), _OVER_BATCH), np.nan),
            extrema=np.full((count, records, 2), np.nan),
            counts=np.zeros((count, records, 5), np.int64),
        )

    def fill(self, numbers: LayoutNumbers, position: int, arrays: Mapping[str, Blob]) -> None:
        """Puts the arrays of a step into its place."""
        # Numbers of any bits are allowed in a recording, signalling NaN among them.
        with np.errstate(invalid="ignore"):
            for precision in _PRECISIONS:
                if f"statistics.{precision}" in arrays:
                    pairs, places = self._statistics[precision]
                    flat = arrays[f"statistics.{precision}"].data.reshape(-1).astype(np.float64)
                    numbers.statistics[position, pairs] = np.where(places < 0, np.nan, flat[places])
                if f"extrema.{precision}" in arrays:
                    numbers.extrema[position, self._records[precision]] = arrays[f"extrema.{precision}"].data.reshape(-1, 2)
        if "counts" in arrays:
            numbers.counts[position] = arrays["counts"].data.reshape(-1, 5)

    @cached_property
    def _records(self) -> Mapping[str, NDArray[np.int64]]:
        """Per precision, which records have it."""
        return {
            precision: np.array([row for row, place in enumerate(self.places) if place.entry.precision == precision], np.int64)
            for precision in _PRECISIONS
        }

    @cached_property
    def _statistics(self) -> Mapping[str, tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Per precision, which pairs have it, and where their numbers are in its array, `[pairs, 3]`; -1: not there."""
        by_precision: dict[str, tuple[list[int], list[list[int]]]] = {precision: ([], []) for precision in _PRECISIONS}
        for pair, (record, item) in enumerate(self.pairs):
            place = self.places[record]
            pairs, places = by_precision[place.entry.precision]
            pairs.append(pair)
            first = place.statistics + place.entry.items.index(item) * place.entry.aggregation_count
            kept = min(place.entry.aggregation_count, _OVER_BATCH)
            places.append([*range(first, first + kept), *[-1] * (_OVER_BATCH - kept)])
        return {
            precision: (np.array(pairs, np.int64), np.array(places, np.int64).reshape(-1, _OVER_BATCH))
            for precision, (pairs, places) in by_precision.items()
        }
