"""The largest singular values of matrices on CUDA devices, with few calls: a kernel has a block of threads for each matrix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from comgra_export.native.cuda import DeviceKernels
from comgra_export.native.cuda.kernels import LARGEST_MATRIX
from comgra_export.recorder.cuda.devices import current_stream, kernels_of
from comgra_export.recorder.host.isolation import undisturbed
from comgra_export.recorder.numbers.parts import Part, Place, RecordKey, Waiting
from comgra_export.recorder.numbers.singular_values import ITEMS_BEFORE_SINGULAR_VALUE

__all__ = ["device_singular_value_parts", "fits"]

# Matrices of several shapes are computed together if their smaller sides are the same multiple of this.
_PADDING = 32
_GRAM_VALUES = 67_108_864
_STACK_VALUES = 16_777_216
# The bits of a float32 number that a TF32 number has as well.
_BITS_OF_TF32 = -8192
_ROWS_ADDED_IN_TF32 = 1024


def fits(matrix: Waiting) -> bool:
    """Whether the kernel takes a matrix of this size."""
    return _side(matrix) <= LARGEST_MATRIX


def device_singular_value_parts(matrices: Sequence[Waiting]) -> list[Part]:
    """Computes the largest singular value of each matrix `[rows, columns]`.

    It is NaN for a matrix with a value that is not finite, and if the device has no memory for the computation.

    If dozens of singular values lie within 1 % of the largest, its last digits can be wrong. Nothing waits for the devices.

    Args:
        matrices: They are not empty, fit, and are on devices that have kernels.
    """
    parts: list[Part] = []
    by_device: dict[torch.device, list[Waiting]] = {}
    for matrix in matrices:
        by_device.setdefault(matrix.values.device, []).append(matrix)
    with undisturbed():
        for device, members in by_device.items():
            kernels = kernels_of(device)
            assert kernels is not None
            for group in _groups(members):
                try:
                    keys, values = _values_of_group(group, kernels)
                except RuntimeError:  # There may be no memory for them.
                    keys = tuple(matrix.key for matrix in group)
                    values = torch.full((len(group),), torch.nan, dtype=torch.float32, device=device)
                parts.append(Part(Place(keys, "statistics", ITEMS_BEFORE_SINGULAR_VALUE), values[:, None]))
    return parts


def _side(matrix: Waiting) -> int:
    return min(matrix.values.shape)


def _padded_side(matrix: Waiting) -> int:
    return -(-_side(matrix) // _PADDING) * _PADDING


def _groups(matrices: Sequence[Waiting]) -> Iterator[list[Waiting]]:
    """Matrices of one padded side, as many as fit."""
    by_side: dict[int, list[Waiting]] = {}
    for matrix in matrices:
        by_side.setdefault(_padded_side(matrix), []).append(matrix)
    for side, members in by_side.items():
        count = max(1, _GRAM_VALUES // side**2)
        yield from (members[start : start + count] for start in range(0, len(members), count))


def _values_of_group(group: Sequence[Waiting], kernels: DeviceKernels) -> tuple[tuple[RecordKey, ...], Tensor]:
    """The records in another order, and their singular values, `[T]`."""
    size, device = _padded_side(group[0]), group[0].values.device
    grams = torch.zeros(len(group), size, size, dtype=torch.float32, device=device)
    keys: list[RecordKey] = []
    scales: list[Tensor] = []
    for members in _stacks(group):
        stack = torch.stack([matrix.values for matrix in members]).float()
        largest = torch.linalg.vector_norm(stack, ord=torch.inf, dim=(1, 2))
        is_usable = largest.isfinite()
        scale = torch.where(is_usable & (largest > 0), largest, 1.0)
        stack.div_(scale[:, None, None]).masked_fill_(~is_usable[:, None, None], 0.0)
        side, start = _side(members[0]), len(keys)
        grams[start : start + len(members), :side, :side] = _grams(stack if stack.shape[2] == side else stack.mT)
        keys += [matrix.key for matrix in members]
        scales.append(torch.where(is_usable, scale, torch.nan))
    eigenvalues = torch.empty(len(group), dtype=torch.float64, device=device)
    kernels.largest_eigenvalues(grams.data_ptr(), len(group), size, result=eigenvalues.data_ptr(), stream=current_stream(device))
    return tuple(keys), eigenvalues.clamp(min=0).sqrt().float() * torch.cat(scales)


def _stacks(matrices: Sequence[Waiting]) -> Iterator[list[Waiting]]:
    """Matrices of one shape and dtype, as many as fit."""
    groups: dict[tuple[object, ...], list[Waiting]] = {}
    for matrix in matrices:
        groups.setdefault((matrix.values.shape, matrix.values.dtype), []).append(matrix)
    for members in groups.values():
        count = max(1, _STACK_VALUES // members[0].values.numel())
        yield from (members[start : start + count] for start in range(0, len(members), count))


def _grams(tall: Tensor) -> Tensor:
    """`A^T A` of each matrix of `[T, rows, n]`, as exact as float32, also if the script lets matrices be multiplied in TF32."""
    if _multiplies_exactly():
        return tall.mT @ tall
    # Products of numbers with so few bits are exact in TF32. What is left of each number is so small that its rounding is, too.
    # Sums are rounded down there, so that long ones would be too small.
    total = tall.new_zeros(len(tall), tall.shape[2], tall.shape[2])
    for rows in tall.split(_ROWS_ADDED_IN_TF32, dim=1):
        high = (rows.contiguous().view(torch.int32) & _BITS_OF_TF32).view(torch.float32)
        mixed = high.mT @ (rows - high)
        total += high.mT @ high + mixed + mixed.mT
    return total


def _multiplies_exactly() -> bool:
    try:
        return torch.get_float32_matmul_precision() == "highest"
    except RuntimeError:  # The script has said it in more detail than this function can tell.
        return False
