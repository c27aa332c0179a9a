"""Large tensors on the CPU that only statistics are recorded of: each piece of memory is read once."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from comgra_export.recorder.host.isolation import is_plain
from comgra_export.recorder.host.torch_internals import innermost_transform
from comgra_export.recorder.numbers import kernels
from comgra_export.recorder.numbers.buffers import CHUNK_VALUES, HistogramCopies, Scratch
from comgra_export.recorder.numbers.cpu_statistics import read_rows
from comgra_export.recorder.numbers.histogram_values import stride_of, values_for_histogram
from comgra_export.recorder.numbers.parts import Part, RowSums, Waiting, as_matrix, part_for_histogram
from comgra_export.recorder.numbers.pieces import read_in_pieces

__all__ = ["SMALL_TENSOR", "LargeTensors", "is_large", "read_directly"]

SMALL_TENSOR = 32_768
"""Up to so many values, the number of calls decides how long the numbers take."""

_ONLY_STATISTICS = ("kpis", "kpis_and_svd")

_Memory = tuple[object, ...]


def is_large(tensor: Waiting) -> bool:
    """Whether it is read by itself, and only its statistics are recorded."""
    values = tensor.values
    return (
        values.numel() > SMALL_TENSOR
        and tensor.entry.kind in _ONLY_STATISTICS
        and tensor.numbers.precision == torch.float32
        and values.is_cpu
        and is_plain(values)
    )


def read_directly(tensor: Waiting, copies: HistogramCopies | None) -> tuple[RowSums | None, NDArray[np.float32] | None]:
    """Reads a large tensor, also for its histogram, without calling an operation of torch on it.

    Between the operations of a training, such a call takes several times as long as in a loop of its own.

    Returns:
        The sums; None if no kernel can read the tensor, or a value is not finite. And the values for its histogram, `[n]`; None if it has
        no histogram, or they were not copied.
    """
    values, dimension, limit = tensor.values, tensor.entry.batch_dimension, tensor.histogram_values
    if (
        dimension not in (None, 0)
        or limit > CHUNK_VALUES
        or values.dtype != torch.float32
        or not values.is_contiguous()
        or values.is_neg()
        or not kernels.are_worthwhile(values.numel())
        # A tensor that is made within a transform such as `torch.func.grad` belongs to it.
        or innermost_transform() is not None
    ):
        return None, None
    rows = 1 if dimension is None else values.shape[0]
    try:
        if not limit or copies is None:
            return kernels.read_rows(values, rows), None
        stride = stride_of(tuple(values.shape), limit)
        histogram, address = copies.reserve(-(-values.numel() // stride))
        return kernels.read_rows(values, rows, stride, address), histogram
    except RuntimeError:  # A tensor that wraps another one has no address.
        return None, None


class LargeTensors:
    """Reads tensors that exist at the same time, because memory is known by its address.

    Without `copies`, the values for histograms may be the memory of the tensors.
    """

    def __init__(self, scratch: Scratch, copies: HistogramCopies | None) -> None:
        self._scratch = scratch
        self._copies = copies
        self._sums: dict[tuple[_Memory, int | None], RowSums | None] = {}
        self._histograms: dict[tuple[_Memory, int], Tensor] = {}

    def read(self, tensor: Waiting) -> RowSums | None:
        """Reads a large tensor, also for its histogram; None if a value is not finite."""
        memory = _memory_of(tensor.values)
        key = memory, tensor.entry.batch_dimension
        if key not in self._sums:
            self._sums[key], histogram = read_directly(tensor, self._copies)
            if histogram is not None:
                self._histograms[memory, tensor.histogram_values] = torch.from_numpy(histogram)[None]
            if self._sums[key] is None:
                self._sums[key] = self._read_in_order(tensor)
        return self._sums[key]

    def values_for_histograms(self, tensors: Iterable[Waiting]) -> list[Part]:
        """The values for the histograms of any tensors, large or small."""
        groups: dict[tuple[_Memory, int], list[Waiting]] = {}
        for tensor in tensors:
            groups.setdefault((_memory_of(tensor.values), tensor.histogram_values), []).append(tensor)
        parts = []
        for key, members in groups.items():
            histogram = self._histograms.get(key)
            if histogram is None:
                chosen = values_for_histogram(members[0].values, members[0].histogram_values)
                histogram = chosen.unsqueeze(0) if self._copies is None else self._copies.copy(chosen)
            parts.append(part_for_histogram(tuple(tensor.key for tensor in members), histogram))
        return parts

    def _read_in_order(self, tensor: Waiting) -> RowSums | None:
        try:
            return read_in_pieces(
                as_matrix(tensor), lambda piece: read_rows(piece.to(torch.float32).contiguous().resolve_neg(), self._scratch)
            )
        except Exception:  # A dtype with few operations. The way for all tensors says what is wrong.
            return None


def _memory_of(values: Tensor) -> _Memory:
    """A key that tensors share if they are the same memory, such as the gradients of a sum and of its terms."""
    try:
        address = values.data_ptr()
    except RuntimeError:  # A tensor that wraps another one has no address.
        return (id(values),)
    return address, values.shape, values.stride(), values.dtype, values.device
