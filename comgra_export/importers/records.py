"""Turns arrays of other tools into the records of a step: whole tensors, with the statistics of the recording format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd, prod

import numpy as np
from numpy.typing import NDArray

from comgra_export.storage import Blob, Group, Layout, TensorEntry, TensorType
from comgra_export.storage.arrays.histograms import Histogram, encode_histograms, histogram_of

__all__ = ["DTYPES", "StepNumbers", "WholeTensor", "blobs_of", "layout_of"]

DTYPES = {
    "f8": "F64", "f4": "F32", "f2": "F16", "i8": "I64", "i4": "I32", "i2": "I16", "i1": "I8",
    "u8": "U64", "u4": "U32", "u2": "U16", "u1": "U8", "b1": "BOOL",
}  # fmt: skip
"""The dtypes of the recording format, by kind and size as numpy names them."""

# As the recorder has it by default.
_MOST_SAMPLED = 65_536


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
        dtype = DTYPES[f"{self.array.dtype.kind}{self.array.dtype.itemsize}"]
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
    numbers = StepNumbers()
    for index in (index for group in layout.groups for index in group.tensors):
        numbers.add(layout.tensors[index], tensors[index].array)
    return numbers.blobs()


class StepNumbers:
    """Collects the arrays of a step, record by record. No tensor here has a batch dimension."""

    def __init__(self) -> None:
        self._counts: list[list[int]] = []
        self._parts: dict[tuple[str, str], list[NDArray[np.generic]]] = {}
        self._histograms: list[Histogram] = []

    def add(self, entry: TensorEntry, array: NDArray[np.generic]) -> None:
        """Adds the next record, in the order of the layout.

        Args:
            entry: Its tensor.
            array: Its values, in any byte order, with the shape of the tensor. Values of bfloat16 are given as float32.
        """
        numbers = array.astype(np.float64 if entry.precision == "F64" else np.float32).reshape(-1)
        finite = numbers[np.isfinite(numbers)]
        self._counts.append([*(int(mask.sum()) for mask in (np.isnan(numbers), numbers == np.inf, numbers == -np.inf, numbers == 0)), 0])
        extrema = np.array([finite.min(), finite.max()] if len(finite) else [np.nan, np.nan], numbers.dtype)
        self._part("extrema", entry.precision, extrema)
        self._part("statistics", entry.precision, numbers if entry.kind == "single_value" else _statistics(numbers))
        if entry.histogram:
            histogram, quantiles = histogram_of(numbers[:: _every(entry.shape)])
            self._histograms.append(histogram)
            self._part("histograms.quantiles", entry.precision, quantiles)
        if entry.kind == "neuron":
            self._part("values", entry.stored, array.astype(array.dtype.newbyteorder("<")).reshape(-1))

    def blobs(self) -> list[tuple[str, Blob]]:
        """The arrays of all records."""
        blobs = [("counts", Blob("I64", np.array(self._counts, np.int64).reshape(-1, 5)))]
        if self._histograms:
            bins, counts = encode_histograms(self._histograms)
            blobs += [("histograms.bins", Blob("I64", bins)), ("histograms.counts", Blob("I64", counts))]
        return blobs + [(f"{name}.{dtype}", Blob(dtype, np.concatenate(arrays))) for (name, dtype), arrays in self._parts.items()]

    def _part(self, name: str, dtype: str, array: NDArray[np.generic]) -> None:
        self._parts.setdefault((name, dtype), []).append(array)


def _every(shape: Sequence[int]) -> int:
    """The distance between the values that a histogram samples, as `docs/recording-format.md` specifies it."""
    every = max(1, -(-prod(shape) // _MOST_SAMPLED))
    while any(gcd(every, size) > 1 for size in shape):
        every += 1
    return every


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
