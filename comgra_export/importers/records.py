"""Tensors of other tools as records of a step: whole tensors without a batch dimension, with the statistics of the recording format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from comgra_export.storage import Blob, Group, Layout, TensorEntry, TensorType

__all__ = ["WholeTensor", "blobs_of", "layout_of"]

_DTYPES = {
    "f8": "F64", "f4": "F32", "f2": "F16", "i8": "I64", "i4": "I32", "i2": "I16", "i1": "I8",
    "u8": "U64", "u4": "U32", "u2": "U16", "u1": "U8", "b1": "BOOL",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class WholeTensor:
    """A tensor of an array of plain numbers, in any byte order.

    Attributes:
        name: Its name, which no other tensor of the step has.
        type: What it is to the network.
        group: In which group its numbers are: `forward`, or one of gradients.
        array: Its numbers.
    """

    name: str
    type: TensorType
    group: str
    array: NDArray[np.generic]

    @property
    def entry(self) -> TensorEntry:
        """What the layout says of it."""
        dtype = _DTYPES[f"{self.array.dtype.kind}{self.array.dtype.itemsize}"]
        shape = self.array.shape
        return TensorEntry(self.name, 0, self.name, self.name, self.type, "neuron", dtype, dtype, shape, batch_dimension=None, samples=0)


def layout_of(tensors: Sequence[WholeTensor]) -> Layout:
    """The layout of a step that holds these tensors."""
    groups = ["forward", *sorted({tensor.group for tensor in tensors} - {"forward"})]
    members = [Group(name, tuple(place for place, tensor in enumerate(tensors) if tensor.group == name)) for name in groups]
    return Layout(tuple(tensor.entry for tensor in tensors), tuple(members))


def blobs_of(tensors: Sequence[WholeTensor]) -> list[tuple[str, Blob]]:
    """The arrays of a step with these tensors and the layout of `layout_of`."""
    layout = layout_of(tensors)
    counts: list[list[int]] = []
    parts: dict[tuple[str, str], list[NDArray[np.generic]]] = {}
    for place in (place for group in layout.groups for place in group.tensors):
        entry, array = layout.tensors[place], tensors[place].array
        numbers = array.astype(np.float64 if entry.precision == "F64" else np.float32).reshape(-1)
        finite = numbers[np.isfinite(numbers)]
        counts.append([*(int(mask.sum()) for mask in (np.isnan(numbers), numbers == np.inf, numbers == -np.inf, numbers == 0)), 0])
        extrema = np.array([finite.min(), finite.max()] if len(finite) else [np.nan, np.nan], numbers.dtype)
        parts.setdefault(("extrema", entry.precision), []).append(extrema)
        parts.setdefault(("statistics", entry.precision), []).append(_statistics(numbers))
        parts.setdefault(("values", entry.stored), []).append(array.astype(array.dtype.newbyteorder("<")).reshape(-1))
    blobs = [(f"{name}.{dtype}", Blob(dtype, np.concatenate(arrays))) for (name, dtype), arrays in parts.items()]
    return [("counts", Blob("I32", np.array(counts, np.int32).reshape(-1, 5))), *blobs]


def _statistics(numbers: NDArray[np.floating]) -> NDArray[np.floating]:
    """Mean, mean magnitude, unbiased standard deviation (0 of a single number) and largest magnitude; NaN of none, and where one is NaN."""
    if not len(numbers):
        return np.full(4, np.nan, numbers.dtype)
    with np.errstate(all="ignore"):
        magnitudes = np.abs(numbers)
        # Sums of float32 in float64, so that large layers lose nothing.
        spread = numbers.std(ddof=1, dtype=np.float64) if len(numbers) > 1 else 0.0
        found = [numbers.mean(dtype=np.float64), magnitudes.mean(dtype=np.float64), spread, magnitudes.max()]
        return np.array(found).astype(numbers.dtype)
