"""Large tensors on the CPU of which only statistics are recorded: each piece of memory is looked at once."""

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
from comgra_export.recorder.numbers.dispatch import look_at_rows
from comgra_export.recorder.numbers.histograms import stride_of
from comgra_export.recorder.numbers.parts import Part, RowSums, Waiting, as_matrix, part_for_histogram

__all__ = ["SMALL_TENSOR", "LargeTensors", "is_large", "look_directly"]

SMALL_TENSOR = 32_768
"""Up to so many values, what a call costs matters more than what a value does."""

_ONLY_STATISTICS = ("kpis", "kpis_and_svd")

_Memory = tuple[object, ...]


def is_large(one: Waiting) -> bool:
    """Whether it is worth a look of its own, and its statistics are all that is recorded of it."""
    values = one.values
    return (
        values.numel() > SMALL_TENSOR
        and one.entry.kind in _ONLY_STATISTICS
        and one.numbers.precision == torch.float32
        and values.is_cpu
        and is_plain(values)
    )


def look_directly(one: Waiting, copies: HistogramCopies) -> tuple[RowSums | None, NDArray[np.float32] | None]:
    """Looks at a large tensor, also for its histogram, without calling an operation of torch on it.

    In between the operations of a training, each takes several times as long as in a loop of its own.

    Args:
        one: The tensor.
        copies: Where the values lie that histograms are made of.

    Returns:
        What was found; None where that needs more care. And the values for its histogram, `[n]`; None where it has none, or they were not
        taken.
    """
    values, dimension, limit = one.values, one.entry.batch_dimension, one.histogram_values
    if (
        dimension not in (None, 0)
        or limit > CHUNK_VALUES
        or values.dtype != torch.float32
        or not values.is_contiguous()
        or values.is_neg()
        or not kernels.are_worthwhile(values.numel())
        # What is made within a transformation such as `torch.func.grad` belongs to it.
        or innermost_transform() is not None
    ):
        return None, None
    rows = 1 if dimension is None else values.shape[0]
    try:
        if not limit:
            return kernels.look_at_rows(values, rows), None
        stride = stride_of(tuple(values.shape), limit)
        taken, address = copies.reserve(-(-values.numel() // stride))
        return kernels.look_at_rows(values, rows, stride, address), taken
    except RuntimeError:  # What wraps another tensor has no address.
        return None, None


class LargeTensors:
    """Looks at tensors that are there at the same time, since memory is known by its address.

    Args:
        scratch: Where intermediate results lie.
        copies: Where the values lie that histograms are made of.
    """

    def __init__(self, scratch: Scratch, copies: HistogramCopies) -> None:
        self._scratch = scratch
        self._copies = copies
        self._found: dict[tuple[_Memory, int | None], RowSums | None] = {}
        self._taken: dict[tuple[_Memory, int], Tensor] = {}

    def look(self, one: Waiting) -> RowSums | None:
        """Looks at a large tensor, also for its histogram; None where that needs more care."""
        memory = _memory_of(one.values)
        key = memory, one.entry.batch_dimension
        if key not in self._found:
            self._found[key], taken = look_directly(one, self._copies)
            if taken is not None:
                self._taken[memory, one.histogram_values] = torch.from_numpy(taken)[None]
            if self._found[key] is None:
                self._found[key] = self._look_carefully(one)
        return self._found[key]

    def values_for_histograms(self, tensors: Iterable[Waiting]) -> list[Part]:
        """Copies of the values that the histograms of any tensors are made of, large or not."""
        groups: dict[tuple[_Memory, int], list[Waiting]] = {}
        for one in tensors:
            groups.setdefault((_memory_of(one.values), one.histogram_values), []).append(one)
        parts = []
        for key, members in groups.items():
            taken = self._taken.get(key)
            if taken is None:
                taken = self._copies.copy(members[0].values, members[0].histogram_values)
            parts.append(part_for_histogram(tuple(one.key for one in members), taken))
        return parts

    def _look_carefully(self, one: Waiting) -> RowSums | None:
        try:
            return look_at_rows(as_matrix(one).to(torch.float32).contiguous().resolve_neg(), self._scratch)
        except Exception:  # A dtype with few operations. The way for all tensors says what is wrong.
            return None


def _memory_of(values: Tensor) -> _Memory:
    """What tensors have in common that are the same memory, as gradients of a sum and of what was added are."""
    try:
        address = values.data_ptr()
    except RuntimeError:  # What wraps another tensor has no address.
        return (id(values),)
    return address, values.shape, values.stride(), values.dtype, values.device
