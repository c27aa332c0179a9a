"""The compiled kernels, called with tensors: each value is read once.

Call them only if `are_worthwhile` says yes. A tensor whose values are not in memory is a `RuntimeError`, because an address of nothing
would end the process. Examples are a fake tensor, and a tensor whose storage was freed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from comgra_export.native import load_kernels
from comgra_export.recorder.host.isolation import is_plain
from comgra_export.recorder.host.threads import threads_to_use
from comgra_export.recorder.host.torch_internals import count_dispatch_modes
from comgra_export.recorder.numbers.buffers import CountingMemory, SumsMemory
from comgra_export.recorder.numbers.parts import RowSums, Summary
from comgra_export.storage.arrays.histograms import QUANTILES, Histogram, histogram_of_row

__all__ = [
    "address_of",
    "aggregate_columns",
    "are_worthwhile",
    "can_count",
    "histogram_of",
    "is_fit_matrix",
    "largest_magnitude",
    "largest_of_plain_pair",
    "largest_singular_values",
    "measure_units",
    "norms_before_and_of_change",
    "read_rows",
    "summarize_column_groups",
]

_KERNELS = load_kernels()
_LARGEST_OF_BOTH = None if _KERNELS is None else _KERNELS.largest_magnitude_of_both

# A kernel reads its memory once, and torch five times. But torch uses all of its threads if they have enough to do, and a kernel has none
# on some systems.
_FEW_THREADS = 4
_FEW_VALUES = 200_000

_QUANTILES = np.array(QUANTILES)
_QUANTILES_ADDRESS = _QUANTILES.ctypes.data

# 4 MB.
_COUNTED_OFTEN = 1_048_576

_SUMS = SumsMemory()
_COUNTING = CountingMemory()

_SMALLEST = np.uint32(1).view(np.float32)


def can_count() -> bool:
    """Whether there are kernels, and they may count in bins in this thread.

    They may not if the thread takes subnormal numbers for zeros, because then some bins have no end. `torch.set_flush_denormal(True)`
    causes it, and threads that start later inherit it.
    """
    return _KERNELS is not None and bool(_SMALLEST > 0)


def are_worthwhile(values: int) -> bool:
    """Whether there are kernels, and they are faster than torch for so many values of one tensor.

    They cannot be used within a mode that sees operations: tensors that are made there may have no memory, as in `FakeTensorMode`.
    """
    if _KERNELS is None or count_dispatch_modes():
        return False
    return _KERNELS.has_threads or values <= _FEW_VALUES or torch.get_num_threads() <= _FEW_THREADS


def address_of(values: Tensor) -> int:
    """The address of the values of a contiguous tensor. All of them are in memory.

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


def _aligned(values: Tensor) -> Tensor:
    """A tensor whose values lie at multiples of their size, which C asks for: the tensor itself, but for views of odd bytes."""
    return values.clone() if address_of(values) % values.element_size() else values


def read_rows(values: Tensor, rows: int, stride: int = 1, copy: int | None = None) -> RowSums | None:
    """Adds up the rows of a tensor, without calling an operation of torch.

    Args:
        values: float32 on the CPU, contiguous, of any shape, not empty, and not a view that shows its memory negated.
        rows: The number of rows of equal length into which the values are split, in the order of memory.
        stride: Every `stride`-th value is copied, starting with the first.
        copy: The address to copy to; None to copy nothing. The values are copied even if None is returned.

    Returns:
        The sums; None if a value is not finite.
    """
    assert _KERNELS is not None
    values = _aligned(values)
    size = values.numel() // rows
    sums, address = _SUMS.take(rows)
    zeros = _KERNELS.read_rows(address_of(values), rows, size, address, stride=stride, copy=copy, threads=threads_to_use())
    return None if zeros is None else RowSums(size, sums, zeros)


def largest_magnitude(values: Tensor) -> float:
    """Finds the largest magnitude: 0 for an empty tensor, NaN if a value is NaN, and otherwise infinite if a value is.

    Args:
        values: float32 on the CPU, contiguous, of any shape, and not a view that shows its memory negated.
    """
    assert _KERNELS is not None
    values = _aligned(values)
    return _KERNELS.largest_magnitude(address_of(values), values.numel(), threads_to_use())


def largest_of_plain_pair(first: Tensor | None, second: Tensor | None) -> float | None:
    """Finds the largest magnitude of two small tensors as most trainings have them, in as few calls as possible.

    Returns:
        The magnitude, as `largest_magnitude`. None if there are no kernels, or if one of the two is not a contiguous tensor of float32 on
        the CPU, of no class of its own, with memory at a multiple of its size.
    """
    if _LARGEST_OF_BOTH is None or first is None or second is None or type(first) is not Tensor or type(second) is not Tensor:
        return None
    if first.dtype is not torch.float32 or second.dtype is not torch.float32 or not (first.is_cpu and second.is_cpu):
        return None
    if first.layout is not torch.strided or second.layout is not torch.strided:
        return None
    if not (first.is_contiguous() and second.is_contiguous()):
        return None
    address, other = first.data_ptr(), second.data_ptr()
    if not (address and other) or (address | other) % 4:
        return None
    return _LARGEST_OF_BOTH(address, first.numel(), other, second.numel())


def summarize_column_groups(matrix: Tensor, sizes: Sequence[int], of_batch: bool) -> Summary | None:
    """Computes the numbers of tensors whose columns lie together in a matrix, without `aggregates`.

    Args:
        matrix: float32 `[B, M]` on the CPU, contiguous; neither `B` nor `M` is 0.
        sizes: How many columns each tensor has, at least one.
        of_batch: Whether to compute `over_batch`.

    Returns:
        The numbers; None if a value is not finite.
    """
    assert _KERNELS is not None
    matrix = _aligned(matrix)
    batch, tensors = len(matrix), len(sizes)
    widths = torch.tensor(sizes, dtype=torch.int64, device="cpu")
    items, zeros = _empty(torch.float64, tensors, 4, batch), _empty(torch.int64, tensors)
    extrema, over_batch = _empty(torch.float32, tensors, 2), _empty(torch.float32, tensors, 4, 3) if of_batch else None
    is_finite = _KERNELS.summarize_column_groups(
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
    return Summary(counts, extrema, items.float(), over_batch)


def norms_before_and_of_change(before: Tensor, now: Tensor | None, norms: Tensor) -> None:
    """Computes the 2-norm of the values that a tensor had, and that of their change.

    Args:
        before: float32 `[N]` on the CPU, contiguous.
        now: The values that it has now, also float32 `[N]`; None if they are not known.
        norms: float64 `[2]`, contiguous, written. The second is 0 without `now`. NaN if a value is NaN, and otherwise infinite if a
            value is.
    """
    assert _KERNELS is not None
    before, now = _aligned(before), None if now is None else _aligned(now)
    address = None if now is None else address_of(now)
    _KERNELS.measure_change(address_of(before), address, len(before), norms.data_ptr(), threads_to_use())


def is_fit_matrix(matrix: Tensor) -> bool:
    """Whether `largest_singular_values` can read a matrix, and is likely to be faster than torch."""
    return (
        matrix.dtype == torch.float32
        and matrix.device.type == "cpu"
        and matrix.layout == torch.strided
        and matrix.numel() > 0
        and not matrix.is_neg()
        and (matrix.is_contiguous() or matrix.mT.is_contiguous())
        and are_worthwhile(matrix.numel())
    )


def largest_singular_values(matrices: Sequence[Tensor]) -> NDArray[np.float64]:
    """Computes largest singular values, to a relative 1e-5.

    Args:
        matrices: `T` matrices for which `is_fit_matrix` is true.

    Returns:
        `[T]`; NaN for a matrix that has no singular value, or for which the kernel's method does not work.
    """
    assert _KERNELS is not None
    # The matrices that take longest begin.
    order = sorted(range(len(matrices)), key=lambda index: -matrices[index].numel())
    contiguous = [_aligned(matrices[index] if matrices[index].is_contiguous() else matrices[index].mT) for index in order]
    addresses = np.array([address_of(matrix) for matrix in contiguous], np.uint64)
    rows, columns = (np.array([matrix.shape[side] for matrix in contiguous], np.int64) for side in (0, 1))
    threads = threads_to_use()
    room = np.empty((min(threads, len(matrices)), 3 * columns.max(initial=0)))
    values, result = np.empty(len(matrices)), np.empty(len(matrices))
    _KERNELS.largest_singular_values(
        addresses.ctypes.data,
        rows.ctypes.data,
        columns.ctypes.data,
        len(matrices),
        room=room.ctypes.data,
        room_per_thread=room.shape[1],
        values=values.ctypes.data,
        threads=threads,
    )
    result[order] = values
    return result


def histogram_of(values: NDArray[np.float32]) -> tuple[Histogram, NDArray[np.float32]]:
    """Does the same as `storage.arrays.histograms.histogram_of`. Call it only in threads in which `can_count` is true."""
    assert _KERNELS is not None
    room = (_COUNTING if values.size <= _COUNTED_OFTEN else CountingMemory()).with_room_for(values.size)
    ascending = room.ascending[: values.size]
    ascending[:] = values.reshape(-1)
    ascending.sort()
    _KERNELS.count_ascending(
        room.addresses[0],
        values.size,
        _QUANTILES_ADDRESS,
        len(QUANTILES),
        summary=room.addresses[1],
        counts=room.addresses[2],
        quantiles=room.addresses[3],
    )
    summary = room.summary.tolist()
    return histogram_of_row(summary, room.counts[: summary[1] + summary[4]].copy()), room.quantiles.copy()


def aggregate_columns(matrix: Tensor) -> Tensor:
    """`[B, M]`, finite, to `[3, M]`: mean, largest magnitude and standard deviation of every column; float32 on the CPU, contiguous."""
    assert _KERNELS is not None
    matrix = _aligned(matrix)
    aggregates = _empty(torch.float32, 3, matrix.shape[1])
    _KERNELS.aggregate_columns(address_of(matrix), len(matrix), matrix.shape[1], aggregates.data_ptr(), threads_to_use())
    return aggregates


def measure_units(values: Tensor, outer: int, units: int, inner: int, count: int) -> NDArray[np.float32]:
    """Measures `count` evenly spaced units of a tensor `[outer, units, inner]`.

    Args:
        values: float32 on the CPU, contiguous, not empty, and not a view that shows its memory negated.
        outer: The product of the sizes before the units.
        units: How many units there are.
        inner: The product of the sizes after the units.
        count: How many are measured.

    Returns:
        `[2 * count]`: the largest magnitude of each, then the mean magnitude of each. NaN if a value of the unit is NaN.
    """
    assert _KERNELS is not None
    values = _aligned(values)
    measured = np.empty(2 * count, np.float32)
    _KERNELS.measure_units(address_of(values), outer, units, inner, count=count, measured=measured.ctypes.data, threads=threads_to_use())
    return measured


def _empty(dtype: torch.dtype, *shape: int) -> Tensor:
    return torch.empty(shape, dtype=dtype, device="cpu")
