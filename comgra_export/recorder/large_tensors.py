"""Large tensors on the CPU of which only statistics are recorded: each piece of memory is looked at once."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor

from comgra_export.recorder.cpu_numbers import look_at_rows
from comgra_export.recorder.cpu_summary import RowSums
from comgra_export.recorder.histogram_memory import CHUNK_VALUES, HistogramCopies
from comgra_export.recorder.histograms import stride_of
from comgra_export.recorder.record_parts import LOOKED_AT, Part, Place, Waiting, as_matrix
from comgra_export.recorder.scratch import Scratch

__all__ = ["LargeTensors"]

_ONLY_STATISTICS = ("kpis", "kpis_and_svd")

_Memory = tuple[object, ...]


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
        """Looks at a tensor, also for its histogram; None where that needs more care, or more than statistics are recorded."""
        values = one.values
        if (
            one.entry.kind not in _ONLY_STATISTICS
            or one.numbers.precision != torch.float32
            or values.device.type != "cpu"
            or not values.numel()
        ):
            return None
        memory = _memory_of(values)
        key = memory, one.entry.batch_dimension
        if key not in self._found:
            try:
                self._found[key] = self._look(one, memory)
            except Exception:  # A dtype with few operations. The way with more care says what is wrong.
                self._found[key] = None
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
            parts.append(Part(Place(tuple(one.key for one in members), LOOKED_AT), taken[None]))
        return parts

    def _look(self, one: Waiting, memory: _Memory) -> RowSums | None:
        values = one.values
        rows = as_matrix(one).to(torch.float32).contiguous().resolve_neg()
        has_their_order = rows.data_ptr() == values.data_ptr() and values.dtype == torch.float32 and values.is_contiguous()
        if not has_their_order or not 0 < one.histogram_values <= CHUNK_VALUES:
            return look_at_rows(rows, self._scratch)
        stride = stride_of(tuple(values.shape), one.histogram_values)
        taken = self._copies.reserve(-(-values.numel() // stride))
        found = look_at_rows(rows, self._scratch, stride, taken)
        self._taken[memory, one.histogram_values] = taken
        return found


def _memory_of(values: Tensor) -> _Memory:
    """What tensors have in common that are the same memory, as gradients of a sum and of what was added are."""
    try:
        address = values.data_ptr()
    except RuntimeError:  # What wraps another tensor has no address.
        return (id(values),)
    return address, values.shape, values.stride(), values.dtype, values.device
