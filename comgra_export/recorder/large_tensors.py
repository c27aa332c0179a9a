"""Large tensors on the CPU of which only statistics are recorded: each piece of memory is looked at once."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor

from comgra_export.recorder.cpu_numbers import look_at_rows
from comgra_export.recorder.cpu_summary import RowSums
from comgra_export.recorder.histogram_memory import CHUNK_VALUES, HistogramCopies
from comgra_export.recorder.histograms import stride_of
from comgra_export.recorder.record_parts import Part, Waiting, as_matrix, part_for_histogram
from comgra_export.recorder.scratch import Scratch
from comgra_export.recorder.undisturbed import is_plain

__all__ = ["SMALL_TENSOR", "LargeTensors", "is_large", "look_at_large"]

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
        and values.device.type == "cpu"
        and is_plain(values)
    )


def look_at_large(one: Waiting, scratch: Scratch, copies: HistogramCopies) -> tuple[RowSums | None, Tensor | None]:
    """Looks at a large tensor, also for its histogram.

    Args:
        one: The tensor.
        scratch: Where intermediate results lie.
        copies: Where the values lie that histograms are made of.

    Returns:
        What was found; None where that needs more care. And the values for its histogram; None where it has none, or they were not taken.
    """
    values = one.values
    try:
        rows = as_matrix(one).to(torch.float32).contiguous().resolve_neg()
        # Whether the values are the same, in the same order.
        is_same = rows.data_ptr() == values.data_ptr() and values.dtype == torch.float32 and values.is_contiguous()
        if not is_same or not 0 < one.histogram_values <= CHUNK_VALUES:
            return look_at_rows(rows, scratch), None
        stride = stride_of(tuple(values.shape), one.histogram_values)
        taken = copies.reserve(-(-values.numel() // stride))
        return look_at_rows(rows, scratch, stride, taken), taken
    except Exception:  # A dtype with few operations. The way with more care says what is wrong.
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
            self._found[key], taken = look_at_large(one, self._scratch, self._copies)
            if taken is not None:
                self._taken[memory, one.histogram_values] = taken
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


def _memory_of(values: Tensor) -> _Memory:
    """What tensors have in common that are the same memory, as gradients of a sum and of what was added are."""
    try:
        address = values.data_ptr()
    except RuntimeError:  # What wraps another tensor has no address.
        return (id(values),)
    return address, values.shape, values.stride(), values.dtype, values.device
