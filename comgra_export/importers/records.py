"""Turns arrays of other tools into the records of a step: whole tensors, with the statistics of the recording format."""

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
    """A tensor without a batch dimension, from an array of plain numbers in any byte order.

    Attributes:
        name: Its name, unique in the step.
        group: The group of its record: `forward`, or a group of gradients.
    """

    name: str
    type: TensorType
    group: str
    array: NDArray[np.generic]

    @property
    def entry(self) -> TensorEntry:
        """Its description in the layout."""
        dtype = _DTYPES[f"{self.array.dtype.kind}{self.array.dtype.itemsize}"]
        return TensorEntry(
            self.name,
            iteration=0,
            node=self.name,
            role=self.name,
            type=self.type,
            kind="neuron",
            dtype=dtype,
            stored=dtype,
            shape=self.array.shape,
            batch_dimension=None,
            samples=0,
        )


def layout_of(tensors: Sequence[WholeTensor]) -> Layout:
    """The layout of a step with these tensors."""
    groups = ["forward", *sorted({tensor.group for tensor in tensors} - {"forward"})]
    members = [Group(name, tuple(index for index, tensor in enumerate(tensors) if tensor.group == name)) for name in groups]
    return Layout(tuple(tensor.entry for tensor in tensors), tuple(members))


def blobs_of(tensors: Sequence[WholeTensor]) -> list[tuple[str, Blob]]:
    """The arrays of a step with these tensors, in the order of `layout_of`."""
    layout = layout_of(tensors)
    counts: list[list[int]] = []
    parts: dict[tuple[str, str], list[NDArray[np.generic]]] = {}
    for index in (index for group in layout.groups for index in group.tensors):
        entry, array = layout.tensors[index], tensors[index].array
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
    """The mean, mean magnitude, unbiased standard deviation and largest magnitude.

    The standard deviation of a single number is 0. Without numbers, all four are NaN; with a NaN among them, too.
    """
    if not len(numbers):
        return np.full(4, np.nan, numbers.dtype)
    with np.errstate(all="ignore"):
        magnitudes = np.abs(numbers)
        # Sums are in float64, because sums of float32 lose precision in large layers.
        spread = numbers.std(ddof=1, dtype=np.float64) if len(numbers) > 1 else 0.0
        statistics = [numbers.mean(dtype=np.float64), magnitudes.mean(dtype=np.float64), spread, magnitudes.max()]
        return np.array(statistics).astype(numbers.dtype)
