"""The numbers of `calm_statistics` and `side_by_side` by compiled kernels: each value is read once.

Only NaN and infinities need more care. Nothing here is called where `are_worthwhile` says no. A tensor whose values are not in memory, such
as a fake one or one whose storage was freed, is a `RuntimeError`: an address of nothing would end the process.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from comgra_export.native import load_kernels
from comgra_export.recorder.host.isolation import is_plain
from comgra_export.recorder.host.threads import threads_to_use
from comgra_export.recorder.host.torch_internals import count_dispatch_modes
from comgra_export.recorder.numbers.parts import CpuSummary, RowSums, summarize_rows
from comgra_export.storage.arrays.histograms import BINS_PER_SIDE, HISTOGRAM_COLUMNS, QUANTILES, Histogram

__all__ = [
    "address_of",
    "are_worthwhile",
    "can_count",
    "histogram_of",
    "largest_magnitude",
    "look_at_rows",
    "norms_before_and_of_change",
    "summarize_side_by_side",
    "summarize_stack",
]

_KERNELS = load_kernels()

# A kernel reads its memory once, torch five times; but torch on all of its threads, where they have enough to do. Kernels cannot have them
# everywhere.
_FEW_THREADS = 4
_FEW_VALUES = 200_000

_QUANTILES = np.array(QUANTILES)

# 128 KB.
_SUMS_TOGETHER = 16_384


class _Sums(threading.local):
    """Memory for what is found of rows, one piece for many tensors: an allocation and the question where it is take longer than a part."""

    def __init__(self) -> None:
        self._use(np.empty(0))

    def take(self, rows: int) -> tuple[NDArray[np.float64], int]:
        """Room for `[5 * rows]`, which belongs to the caller, and where it is."""
        count = 5 * rows
        if self._used + count > len(self._piece):
            self._use(np.empty(max(count, _SUMS_TOGETHER)))
        start = self._used
        self._used += count
        return self._piece[start : self._used], self._address + start * self._piece.itemsize

    def _use(self, piece: NDArray[np.float64]) -> None:
        self._piece, self._address, self._used = piece, piece.ctypes.data, 0


_SUMS = _Sums()

_SMALLEST = np.uint32(1).view(np.float32)


def can_count() -> bool:
    """Whether there are kernels that may count in bins in this thread.

    They may not where it takes subnormal numbers for zeros, as after `torch.set_flush_denormal(True)`, which threads that start later
    inherit: some bins have no end then.
    """
    return _KERNELS is not None and bool(_SMALLEST > 0)


def are_worthwhile(values: int) -> bool:
    """Whether there are kernels, and they are faster than torch for so many values of one tensor.

    Within a mode that sees operations, they are not: what is made there for results may have no memory, as in `FakeTensorMode`.
    """
    if _KERNELS is None or count_dispatch_modes():
        return False
    return _KERNELS.has_threads or values <= _FEW_VALUES or torch.get_num_threads() <= _FEW_THREADS


def address_of(values: Tensor) -> int:
    """Where the values of a contiguous tensor are, all of them.

    Raises:
        RuntimeError: They are not in memory.
    """
    if not is_plain(values):
        raise RuntimeError("its values are not in memory of its own")
    end = (values.storage_offset() + values.numel()) * values.element_size()
    if values.untyped_storage().nbytes() < end:
        raise RuntimeError("its memory was freed")
    address = values.data_ptr()
    if not address and values.numel():
        raise RuntimeError("its values are zeros that have no memory")
    return address


def look_at_rows(values: Tensor, rows: int, stride: int = 1, taken: int | None = None) -> RowSums | None:
    """Looks at every value of a tensor; or returns None where one is not finite. No operation of torch is called.

    Args:
        values: float32 on the CPU, contiguous, of any shape, not empty, and no view that shows its memory negated.
        rows: Into so many rows of equal length the values are taken apart, in the order of memory.
        stride: Every so-manieth value is copied, from the first one on.
        taken: The address to which; None to copy none. They are copied in any case.
    """
    assert _KERNELS is not None
    size = values.numel() // rows
    found, address = _SUMS.take(rows)
    zeros = _KERNELS.look_at_rows(address_of(values), rows, size, address, stride=stride, taken=taken, threads=threads_to_use())
    return None if zeros is None else RowSums(size, found, zeros)


def largest_magnitude(values: Tensor) -> float:
    """Looks for the largest magnitude: 0 where there are no values, infinite where one is, NaN where one is.

    Args:
        values: float32 on the CPU, contiguous, of any shape, and no view that shows its memory negated.
    """
    assert _KERNELS is not None
    return _KERNELS.largest_magnitude(address_of(values), values.numel(), threads_to_use())


def summarize_stack(stack: Tensor, of_batch: bool, of_values: bool) -> CpuSummary | None:
    """Computes the numbers of tensors of one shape, or returns None where a value is not finite.

    Args:
        stack: float32 `[T, B, N]` on the CPU, contiguous, not empty.
        of_batch: Whether to compute `over_batch`.
        of_values: Whether to compute `aggregates`.
    """
    found = []
    for rows in stack.unbind():
        of_tensor = look_at_rows(rows, len(rows))
        if of_tensor is None:
            return None
        found.append(of_tensor)
    summary = summarize_rows(found, of_batch)
    if not of_values:
        return summary
    return summary._replace(aggregates=torch.stack([_aggregate_columns(rows) for rows in stack.unbind()]))


def summarize_side_by_side(matrix: Tensor, sizes: Sequence[int], of_batch: bool, of_values: bool) -> CpuSummary | None:
    """Computes the numbers of tensors that lie side by side, as `side_by_side.summarize_side_by_side`.

    Args:
        matrix: float32 `[B, M]` on the CPU, contiguous; neither `B` nor `M` is 0.
        sizes: How many columns each tensor has, at least one.
        of_batch: Whether to compute `over_batch`.
        of_values: Whether to compute `aggregates`.
    """
    assert _KERNELS is not None
    batch, tensors = len(matrix), len(sizes)
    widths = torch.tensor(sizes, dtype=torch.int64, device="cpu")
    items, zeros = _empty(torch.float64, tensors, 4, batch), _empty(torch.int64, tensors)
    extrema, over_batch = _empty(torch.float32, tensors, 2), _empty(torch.float32, tensors, 4, 3) if of_batch else None
    is_finite = _KERNELS.summarize_side_by_side(
        address_of(matrix),
        batch,
        tensors,
        widths.data_ptr(),
        items=items.data_ptr(),
        extrema=extrema.data_ptr(),
        zeros=zeros.data_ptr(),
        over_batch=None if over_batch is None else over_batch.data_ptr(),
    )
    if not is_finite:
        return None
    counts = torch.zeros(tensors, 4, dtype=torch.int64, device="cpu")
    counts[:, 3] = zeros
    return CpuSummary(counts, extrema, items.float(), over_batch, _aggregate_columns(matrix) if of_values else None)


def norms_before_and_of_change(before: Tensor, now: Tensor | None, found: Tensor) -> None:
    """Computes the 2-norm of what a tensor was, and that of its change.

    Args:
        before: float32 `[N]` on the CPU, contiguous.
        now: Likewise; or None where that is not known.
        found: float64 `[2]`, contiguous, written; the second one is 0 without `now`. NaN where a value is, and infinity where one is.
    """
    assert _KERNELS is not None
    address = None if now is None else address_of(now)
    _KERNELS.measure_change(address_of(before), address, len(before), found.data_ptr(), threads_to_use())


def histogram_of(values: NDArray[np.float32]) -> tuple[Histogram, NDArray[np.float32]]:
    """As `storage.histograms.histogram_of`, in any thread of which `can_count` is true."""
    assert _KERNELS is not None
    ascending = np.sort(values, axis=None)
    summary, counts = np.empty(HISTOGRAM_COLUMNS, np.int64), np.empty(2 * BINS_PER_SIDE, np.int64)
    quantiles = np.empty(len(QUANTILES), np.float32)
    _KERNELS.count_ascending(
        ascending.ctypes.data,
        len(ascending),
        _QUANTILES.ctypes.data,
        len(QUANTILES),
        summary=summary.ctypes.data,
        counts=counts.ctypes.data,
        found=quantiles.ctypes.data,
    )
    first_negative, negatives, zeros, first_positive, positives, *others = summary.tolist()
    negative, positive = counts[:negatives], counts[negatives : negatives + positives]
    return Histogram(first_negative, negative, zeros, first_positive, positive, *others), quantiles


def _aggregate_columns(matrix: Tensor) -> Tensor:
    """`[B, M]`, finite, to `[3, M]`: mean, largest magnitude and standard deviation of every column; float32 on the CPU, contiguous."""
    assert _KERNELS is not None
    found = _empty(torch.float32, 3, matrix.shape[1])
    _KERNELS.aggregate_columns(address_of(matrix), len(matrix), matrix.shape[1], found.data_ptr(), threads_to_use())
    return found


def _empty(dtype: torch.dtype, *shape: int) -> Tensor:
    return torch.empty(shape, dtype=dtype, device="cpu")
