"""The statistics of single units of a step on disk: one array, in bfloat16.

What rules ask is which units are zero, and which are far smaller than others. Two digits answer that.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from comgra_export.storage.arrays.layout_arrays import ExpectedArray
from comgra_export.storage.arrays.safetensors import widened
from comgra_export.storage.model.layout import UNIT_STATISTICS, Blob, Layout, TensorEntry

__all__ = ["UNITS_ARRAY", "encode_units", "expected_units", "split_units", "tensors_with_units"]

UNITS_ARRAY = "units.BF16"

_GROUP = "forward"


def tensors_with_units(layout: Layout) -> Iterator[tuple[int, TensorEntry]]:
    """Yields the tensors whose units have statistics in `forward`, in the order of the layout, with their positions in it."""
    for group in layout.groups:
        if group.name == _GROUP:
            for position in group.tensors:
                if layout.tensors[position].units_count:
                    yield position, layout.tensors[position]


def expected_units(layout: Layout) -> dict[str, ExpectedArray]:
    """The array of units of a step with this layout, by name. Nothing if it has none."""
    count = len(UNIT_STATISTICS) * sum(entry.units_count for _, entry in tensors_with_units(layout))
    return {UNITS_ARRAY: ExpectedArray(("BF16",), count)} if count else {}


def encode_units(units: NDArray[np.float32]) -> Blob:
    """Rounds statistics of units to bfloat16. What is not zero stays so."""
    bits = units.view(np.uint32)
    rounded = ((bits + (0x7FFF + ((bits >> 16) & 1))) >> 16).astype(np.uint16)
    rounded[np.isnan(units)] = 0x7FC0
    rounded[(rounded == 0) & (units > 0)] = 1
    return Blob("BF16", rounded)


def split_units(layout: Layout, blob: Blob) -> dict[tuple[str, int], NDArray[np.float32]]:
    """Splits the array of units of a step: `[2, U]` per tensor, by name and iteration."""
    numbers = widened(blob.dtype, blob.data.reshape(-1)).astype(np.float32, copy=False)
    split, start = {}, 0
    for _, entry in tensors_with_units(layout):
        end = start + len(UNIT_STATISTICS) * entry.units_count
        split[entry.name, entry.iteration] = numbers[start:end].reshape(len(UNIT_STATISTICS), entry.units_count)
        start = end
    return split
