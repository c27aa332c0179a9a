"""The largest singular values of many matrices at once, without decomposing any of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

from comgra_export.recorder.numbers import kernels
from comgra_export.recorder.numbers.parts import Part, Place, Waiting

__all__ = ["ITEMS_BEFORE_SINGULAR_VALUE", "MOST_PRODUCTS_ON_DEVICE", "largest_singular_values", "singular_value_parts"]

ITEMS_BEFORE_SINGULAR_VALUE = 4
"""How many statistics of a matrix come before this one."""

MOST_PRODUCTS_ON_DEVICE = 35_000_000_000
"""Up to so many products make up the Gram matrix of a parameter whose largest singular value is computed on a device by default: that of
2048 rows and 8192 columns. A step of a model with hundreds of larger ones would take many times as long."""

# Gram matrices are padded with zeros to a multiple of this, so that matrices of several shapes iterate together.
_PADDING = 32
_GRAM_VALUES = 8_388_608
# They are symmetric. On the CPU, so many rows at a time are computed from the diagonal on, and the rest is copied.
_GRAM_ROWS = 128
# If the sum of all squares lies between these, no square that matters has overflowed or vanished.
_SMALLEST, _LARGEST = 1e-24, 1e30
# The relative error that the largest eigenvalue of a Gram matrix may have: twice that of a singular value.
_TOLERANCES = {torch.float32: 4e-6, torch.float64: 1e-11}
_FIRST_CHECK = 16
# Up to this size, the steps cost more than all eigenvalues.
_SMALL_SIZE = 64
# If reading a result would stall the device, every matrix gets this many steps.
_STEPS_WITHOUT_WAITING = 192
# In exact arithmetic a matrix of size n needs n steps. With rounding, it needs some more if its eigenvalues crowd at the top.
_STEPS_PER_SIZE = 3
# After so many squarings, a matrix is a projection to its largest eigenvalues.
_SQUARINGS = 22


def singular_value_parts(matrices: Sequence[Waiting]) -> list[Part]:
    """Computes the largest singular value of each matrix; NaN if it cannot be computed."""
    groups: dict[tuple[torch.dtype, torch.device], list[Waiting]] = {}
    for matrix in matrices:
        groups.setdefault((matrix.numbers.precision, matrix.values.device), []).append(matrix)
    parts = []
    for (precision, device), members in groups.items():
        try:
            values = largest_singular_values([matrix.values.to(precision) for matrix in members])
        except RuntimeError:
            values = torch.full((len(members),), torch.nan, dtype=precision, device=device)
        keys = tuple(matrix.key for matrix in members)
        parts.append(Part(Place(keys, "statistics", ITEMS_BEFORE_SINGULAR_VALUE), values[:, None]))
    return parts


def largest_singular_values(matrices: Sequence[Tensor]) -> Tensor:
    """Computes largest singular values, by a compiled kernel if it can.

    They agree with those of a full decomposition to a relative 1e-5, and mostly to 1e-6. The same matrices give the same numbers, and no
    random state is used. Nothing waits for an accelerator. There, the last digits can be wrong if dozens of singular values lie within 1 %
    of the largest.

    Args:
        matrices: `T` matrices `[rows, columns]` of one dtype, float32 or float64, and on one device; at least one.

    Returns:
        `[T]`, on their device and in their dtype. NaN for a matrix without elements, or with an element that is not finite.

    Raises:
        RuntimeError: The values of a matrix are not in memory, such as those of a fake tensor.
    """
    fit = [position for position, matrix in enumerate(matrices) if kernels.is_fit_matrix(matrix)]
    if not fit:
        return _by_torch(matrices)
    values = np.full(len(matrices), np.nan)
    values[fit] = kernels.largest_singular_values([matrices[position] for position in fit])
    rest = np.isnan(values).nonzero()[0].tolist()
    if rest:
        values[rest] = _by_torch([matrices[position] for position in rest]).numpy()
    return torch.from_numpy(values).to(matrices[0].dtype)


def _by_torch(matrices: Sequence[Tensor]) -> Tensor:
    """`[T]`: from `A^T A` or `A A^T`, whichever is smaller, and by the Lanczos iteration if that is large."""
    result = matrices[0].new_full((len(matrices),), torch.nan)
    groups: dict[int, list[int]] = {}
    for index, matrix in enumerate(matrices):
        if matrix.numel():
            groups.setdefault(-(-min(matrix.shape) // _PADDING) * _PADDING, []).append(index)
    for size, indices in groups.items():
        for part in _parts(indices, max(1, _GRAM_VALUES // size**2)):
            for index, value in zip(part, _of_similar_size([matrices[index] for index in part], size).unbind(), strict=True):
                result[index] = value
    return result


def _parts(indices: list[int], length: int) -> Iterator[list[int]]:
    return (indices[start : start + length] for start in range(0, len(indices), length))


def _of_similar_size(matrices: list[Tensor], size: int) -> Tensor:
    """`[T]`, for matrices of one device and dtype whose smaller side is at most `size`."""
    if matrices[0].device.type != "cpu":
        scaled, scales, usable = _scaled(matrices)
        return torch.where(usable, _eigenvalues_without_waiting(_grams(scaled, size)).clamp(min=0).sqrt() * scales, torch.nan)
    grams = _grams(matrices, size)
    totals = grams.diagonal(dim1=1, dim2=2).sum(dim=1)
    if bool(((totals > _SMALLEST) & (totals < _LARGEST)).all()):
        return _eigenvalues(grams).clamp(min=0).sqrt()
    # A matrix with a NaN must not make the others wait for a convergence that never comes.
    scaled, scales, usable = _scaled(matrices)
    return torch.where(usable, _eigenvalues(_grams(scaled, size)).clamp(min=0).sqrt() * scales, torch.nan)


def _scaled(matrices: list[Tensor]) -> tuple[list[Tensor], Tensor, Tensor]:
    """The matrices divided by their largest magnitudes, those magnitudes, and which matrices are finite. The others become zeros."""
    extremes = torch.stack([extreme for matrix in matrices for extreme in torch.aminmax(matrix)]).view(-1, 2)
    scales = extremes.abs().amax(dim=1)
    usable = scales.isfinite()
    divisors = torch.where(usable & (scales > 0), scales, 1.0)
    scaled = [
        torch.where(is_usable, matrix / divisor, 0.0)
        for matrix, divisor, is_usable in zip(matrices, divisors.unbind(), usable.unbind(), strict=True)
    ]
    return scaled, divisors, usable


def _grams(matrices: list[Tensor], size: int) -> Tensor:
    """`[T, n, n]`, with zeros if a matrix is smaller."""
    grams = matrices[0].new_zeros(len(matrices), size, size)
    for gram, matrix in zip(grams.unbind(), matrices, strict=True):
        side = min(matrix.shape)
        tall = matrix if matrix.shape[1] == side else matrix.mT
        rows = _GRAM_ROWS if matrix.device.type == "cpu" else side
        for start in range(0, side, rows):
            end = min(start + rows, side)
            gram[start:end, start:side] = tall[:, start:end].mT @ tall[:, start:]
            gram[end:side, start:end] = gram[start:end, end:side].mT
    return grams


class _Lanczos:
    """The iteration for `[T, n, n]` symmetric matrices: `diagonal` and `beside` hold the tridiagonal matrices, `[T, k]` each.

    Rounding makes it forget that its vectors were orthogonal. Then eigenvalues appear several times, but the largest stays what it is.
    """

    def __init__(self, matrices: Tensor) -> None:
        count, size, _ = matrices.shape
        self._multiply = _multiplication(matrices)
        # A fixed vector that is not likely to be an eigenvector, as a constant vector would be.
        start = (torch.arange(1, size + 1, device=matrices.device, dtype=matrices.dtype) * 0.7548776662466927).frac() - 0.4
        self._current = (start / torch.linalg.vector_norm(start)).expand(count, size)
        self._previous = torch.zeros_like(self._current)
        self._diagonal: list[Tensor] = []
        self._beside = [torch.zeros_like(self._current[:, :1])]

    def advance(self, steps: int) -> None:
        """Takes more steps."""
        tiny = torch.finfo(self._current.dtype).tiny
        for _ in range(steps):
            product = torch.addcmul(self._multiply(self._current), self._previous, self._beside[-1], value=-1)
            along = (product * self._current).sum(dim=1, keepdim=True)
            rest = torch.addcmul(product, self._current, along, value=-1)
            length = torch.linalg.vector_norm(rest, dim=1, keepdim=True)
            # If nothing is left, the space is exhausted. The next vector is zero, and adds only zeros.
            self._previous, self._current = self._current, rest / length.clamp(min=tiny)
            self._diagonal.append(along)
            self._beside.append(length)

    def keep(self, chosen: Tensor, matrices: Tensor) -> None:
        """Goes on with some of the matrices only: `chosen` are their positions, `matrices` themselves."""
        self._multiply = _multiplication(matrices)
        self._current, self._previous = self._current[chosen], self._previous[chosen]
        self._diagonal = [column[chosen] for column in self._diagonal]
        self._beside = [column[chosen] for column in self._beside]

    def tridiagonal(self) -> tuple[Tensor, Tensor]:
        """`[T, k, k]`, in float64 if the device has it, and the next element beside its diagonal, `[T]`."""
        wide = self._current.dtype if self._current.device.type == "mps" else torch.float64
        diagonal, beside = torch.cat(self._diagonal, dim=1).to(wide), torch.cat(self._beside[1:], dim=1).to(wide)
        off = torch.diag_embed(beside[:, :-1], 1)
        return torch.diag_embed(diagonal) + off + off.mT, beside[:, -1]


def _multiplication(matrices: Tensor) -> Callable[[Tensor], Tensor]:
    """Multiplies `[T, n, n]` with `[T, n]`."""
    if matrices.device.type != "cpu":
        return lambda vectors: (matrices @ vectors[:, :, None]).squeeze(2)
    # A quarter of the time of `@`, which does not go from matrix to matrix. (numpy would be faster still; but its threads and those of
    # torch spin against each other, which costs the training much more.)
    each = matrices.unbind()
    return lambda vectors: torch.stack([matrix.mv(vector) for matrix, vector in zip(each, vectors.unbind(), strict=True)])


def _eigenvalues(matrices: Tensor) -> Tensor:
    """The largest eigenvalues of `[T, n, n]`, as `[T]`, each with as many steps as it needs. No eigenvalue is negative."""
    size = matrices.shape[-1]
    if size <= _SMALL_SIZE:
        eigenvalues: Tensor = torch.linalg.eigvalsh(matrices.double())
        return eigenvalues[:, -1].to(matrices.dtype)
    result = matrices.new_zeros(len(matrices))
    active = torch.arange(len(matrices))
    iteration = _Lanczos(matrices)
    steps, until, enough = 0, _FIRST_CHECK, max(_FIRST_CHECK, _STEPS_PER_SIZE * size)
    while True:
        iteration.advance(until - steps)
        tridiagonal, beside = iteration.tridiagonal()
        eigenvalues, vectors = torch.linalg.eigh(tridiagonal)
        residual = (beside * vectors[:, -1, -1]).abs()
        largest, second = eigenvalues[:, -1], eigenvalues[:, -2]
        error = torch.minimum(residual, residual.square() / (largest - second).clamp(min=torch.finfo(largest.dtype).tiny))
        result[active] = largest.to(result.dtype)
        is_open = error > _TOLERANCES[result.dtype] * largest
        if until == enough or not bool(is_open.any()):
            return result
        chosen = is_open.nonzero().squeeze(1)
        if len(chosen) < len(active):
            active = active[chosen]
            iteration.keep(chosen, matrices[active])
        steps, until = until, min(enough, until + until // 2)


def _eigenvalues_without_waiting(matrices: Tensor) -> Tensor:
    """The same with a fixed number of steps. Nothing waits for the device."""
    iteration = _Lanczos(matrices)
    iteration.advance(min(_STEPS_PER_SIZE * matrices.shape[-1], _STEPS_WITHOUT_WAITING))
    tridiagonal, _ = iteration.tridiagonal()
    power = tridiagonal
    for _ in range(_SQUARINGS):
        power = power @ power
        power = power / power.abs().amax(dim=(1, 2), keepdim=True).clamp(min=torch.finfo(power.dtype).tiny)
    trace = power.diagonal(dim1=1, dim2=2).sum(dim=1)
    return ((tridiagonal * power).sum(dim=(1, 2)) / torch.where(trace > 0, trace, 1.0)).to(matrices.dtype)
