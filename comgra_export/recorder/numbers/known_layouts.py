"""Where the numbers of the last layouts belong: most steps hold what one of those before them held."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from comgra_export.recorder.numbers.parts import RecordKey
from comgra_export.storage.arrays.layout_arrays import RecordPlace, expected_arrays, histogram_records, record_columns
from comgra_export.storage.arrays.safetensors import ARRAY_DTYPES
from comgra_export.storage.model import Layout, TensorEntry

__all__ = ["KnownLayouts", "LayoutRecords"]

# As many as the steps of a run take turns with: a network that is trained on sequences of several lengths has a layout for each.
_RECENT = 16


class LayoutRecords:
    """The records of a layout: their numbers, and where what belongs to each is.

    Args:
        layout: The layout.
        tensors: The numbers of its tensors by which records are known, in the same order.

    Attributes:
        layout: As given.
        tensors: As given.
        sizes: Which arrays there are, in the order of the format: how many elements each has, and of which dtype. Counts are wide.
        extrema: Of each record, where in its array these numbers begin; likewise the next three.
        histograms: The records that have a histogram, in order.
    """

    def __init__(self, layout: Layout, tensors: Sequence[int]) -> None:
        self.layout = layout
        self.tensors = tuple(tensors)
        keys = [(group.name, tensor) for group in layout.groups for tensor in group.tensors]
        self._numbers = {(group, self.tensors[tensor]): number for number, (group, tensor) in enumerate(keys)}
        self._entries = [layout.tensors[tensor] for _, tensor in keys]
        self.sizes: dict[str, tuple[int, np.dtype[np.generic]]] = {
            name: (expected.elements, np.dtype(np.int64) if name == "counts" else ARRAY_DTYPES[expected.dtypes[0]])
            for name, expected in expected_arrays(layout).items()
        }
        self.extrema, self.statistics, self.aggregates, self.values = (np.array(column, np.int64) for column in record_columns(layout))
        self.histograms: list[RecordPlace] = histogram_records(layout)

    def numbers(self, keys: Sequence[RecordKey]) -> NDArray[np.int64]:
        """Which records they are."""
        return np.fromiter(map(self._numbers.__getitem__, keys), np.int64, len(keys))

    def entry(self, key: RecordKey) -> TensorEntry:
        """What the tensor of a record is."""
        return self._entries[self._numbers[key]]


class KnownLayouts:
    """The records of the last layouts. For one thread at a time."""

    def __init__(self) -> None:
        self._known: deque[LayoutRecords] = deque(maxlen=_RECENT)

    def records(self, layout: Layout, tensors: Sequence[int]) -> LayoutRecords:
        """The records of a layout. What it equals may stand for it."""
        numbers = tuple(tensors)
        for known in self._known:
            if known.tensors == numbers and known.layout == layout:
                return known
        self._known.append(found := LayoutRecords(layout, numbers))
        return found
