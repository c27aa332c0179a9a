"""Largest singular values by a compiled kernel."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from comgra_export.native import load_kernels
from comgra_export.recorder.host.threads import threads_to_use
from comgra_export.recorder.numbers.kernels import address_of, are_worthwhile

__all__ = ["compiled_singular_values", "is_fit"]


def is_fit(matrix: Tensor) -> bool:
    """Whether the kernel may be asked for this matrix, and is likely to be faster than anything else."""
    return (
        matrix.dtype == torch.float32
        and matrix.device.type == "cpu"
        and matrix.layout == torch.strided
        and matrix.numel() > 0
        and not matrix.is_neg()
        and (matrix.is_contiguous() or matrix.mT.is_contiguous())
        and are_worthwhile(matrix.numel())
    )


def compiled_singular_values(matrices: Sequence[Tensor]) -> NDArray[np.float64]:
    """Computes largest singular values, to a relative 1e-5.

    Args:
        matrices: `T` of them, all of them fit.

    Returns:
        `[T]`; NaN for each matrix that has none, or that this way is not for.

    Raises:
        RuntimeError: The values of one are not in memory, as those of a fake tensor.
    """
    kernels = load_kernels()
    assert kernels is not None
    # What takes long begins first.
    order = sorted(range(len(matrices)), key=lambda index: -matrices[index].numel())
    lying = [matrices[index] if matrices[index].is_contiguous() else matrices[index].mT for index in order]
    addresses = np.array([address_of(matrix) for matrix in lying], np.uint64)
    rows, columns = (np.array([matrix.shape[side] for matrix in lying], np.int64) for side in (0, 1))
    threads = threads_to_use()
    room = np.empty((min(threads, len(matrices)), 3 * columns.max(initial=0)))
    found = np.empty(len(matrices))
    kernels.largest_singular_values(
        addresses.ctypes.data,
        rows.ctypes.data,
        columns.ctypes.data,
        len(matrices),
        room=room.ctypes.data,
        room_per_thread=room.shape[1],
        found=found.ctypes.data,
        threads=threads,
    )
    result = np.empty_like(found)
    result[order] = found
    return result
