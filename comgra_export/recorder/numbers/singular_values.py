"""The largest singular values of many matrices at once, without a decomposition of any of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from comgra_export.native import load_kernels
from comgra_export.recorder.host.threads import threads_to_use
from comgra_export.recorder.numbers.kernels import address_of, are_worthwhile
from comgra_export.recorder.numbers.parts import Part, Place, Waiting

__all__ = [
    "compiled_singular_values",
    "is_fit",
    "largest_singular_values",
    "singular_values",
]

# Gram matrices are padded with zeros to a multiple of this, so that matrices of several shapes iterate together.
_PADDING = 32
_GRAM_VALUES = 8_388_608
# They are symmetric: on the CPU, so many rows at a time are computed from the diagonal on, and the rest is copied.
_GRAM_ROWS = 128
# Where the sum of all squares lies between these, none that matters has overflowed or vanished.
_SMALLEST, _LARGEST = 1e-24, 1e30
# By how much the largest eigenvalue of a Gram matrix may be wrong, relatively: twice as much as a singular value.
_TOLERANCES = {torch.float32: 4e-6, torch.float64: 1e-11}
_FIRST_CHECK = 16
# Up to this size, the steps cost more than all eigenvalues.
_SMALL_SIZE = 64
# Where looking at a result would stall the device, every matrix gets this many steps.
_STEPS_UNSEEN = 192
# In exact arithmetic a matrix of size n needs n steps; with rounding, one whose eigenvalues crowd at the top needs some more.
_STEPS_PER_SIZE = 3
# Squared so often, a matrix is a projection to its largest eigenvalues.
_SQUARINGS = 22


def largest_singular_values(matrices: Sequence[Tensor]) -> list[Tensor]:
    """Computes largest singular values from `A^T A` or `A A^T`, whichever is smaller: by the Lanczos iteration where that is large.

    They agree with those of a full decomposition to a relative 1e-5, and mostly to 1e-6. The start vector is fixed: the same matrices
    give the same numbers, and no random state is used. Nothing waits for an accelerator; there, the last digits can be missing where
    dozens of singular values lie within 1 % of the largest.

    Args:
        matrices: Each `[rows, columns]`, float32 or float64, of any shape and on any device.

    Returns:
        A number without dimensions for each, on its device and in its dtype: NaN for a matrix without elements, or with an element that
        is not finite.
    """
    found: dict[int, Tensor] = {}
    groups: dict[tuple[torch.device, torch.dtype, int], list[int]] = {}
    for index, matrix in enumerate(matrices):
        if matrix.numel():
            padded = -(-min(matrix.shape) // _PADDING) * _PADDING
            groups.setdefault((matrix.device, matrix.dtype, padded), []).append(index)
        else:
            found[index] = matrix.new_full((), torch.nan)
    for (_, _, size), indices in groups.items():
        for part in _parts(indices, max(1, _GRAM_VALUES // size**2)):
            found.update(zip(part, _of_similar_size([matrices[index] for index in part], size).unbind(), strict=True))
    return [found[index] for index in range(len(matrices))]


def _parts(indices: list[int], length: int) -> Iterator[list[int]]:
    return (indices[start : start + length] for start in range(0, len(indices), length))


def _of_similar_size(matrices: list[Tensor], size: int) -> Tensor:
    """`[T]`, for matrices of one device and dtype whose smaller side is at most `size`."""
    if matrices[0].device.type != "cpu":
        scaled, scales, usable = _scaled(matrices)
        return torch.where(usable, _eigenvalues_unseen(_grams(scaled, size)).clamp(min=0).sqrt() * scales, torch.nan)
    grams = _grams(matrices, size)
    totals = grams.diagonal(dim1=1, dim2=2).sum(dim=1)
    if bool(((totals > _SMALLEST) & (totals < _LARGEST)).all()):
        return _eigenvalues_looked_at(grams).clamp(min=0).sqrt()
    # One with a NaN must not make the others wait for a convergence that never comes.
    scaled, scales, usable = _scaled(matrices)
    return torch.where(usable, _eigenvalues_looked_at(_grams(scaled, size)).clamp(min=0).sqrt() * scales, torch.nan)


def _scaled(matrices: list[Tensor]) -> tuple[list[Tensor], Tensor, Tensor]:
    """The matrices divided by their largest magnitudes, those magnitudes, and which of them are finite; others are zeros."""
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
    """`[T, n, n]`, with zeros where a matrix is smaller."""
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
        # A fixed vector that is none of those that matrices have as their own, such as a constant one.
        start = (torch.arange(1, size + 1, device=matrices.device, dtype=matrices.dtype) * 0.7548776662466927).frac() - 0.4
        self._current = (start / torch.linalg.vector_norm(start)).expand(count, size)
        self._previous = torch.zeros_like(self._current)
        self._diagonal: list[Tensor] = []
        self._beside = [torch.zeros_like(self._current[:, :1])]

    def advance(self, steps: int) -> None:
        """Takes so many steps more."""
        tiny = torch.finfo(self._current.dtype).tiny
        for _ in range(steps):
            product = torch.addcmul(self._multiply(self._current), self._previous, self._beside[-1], value=-1)
            along = (product * self._current).sum(dim=1, keepdim=True)
            rest = torch.addcmul(product, self._current, along, value=-1)
            length = torch.linalg.vector_norm(rest, dim=1, keepdim=True)
            # Where nothing is left, the space is exhausted: the next vector is zero, and adds only zeros.
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
        """`[T, k, k]`, in float64 where the device has it, and what would come beside its last element, `[T]`."""
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


def _eigenvalues_looked_at(matrices: Tensor) -> Tensor:
    """The largest eigenvalues of `[T, n, n]`, none of which is negative, as `[T]`: each with as many steps as it needs."""
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


def _eigenvalues_unseen(matrices: Tensor) -> Tensor:
    """The same, with a fixed number of steps and nothing that a device has to be waited for."""
    iteration = _Lanczos(matrices)
    iteration.advance(min(_STEPS_PER_SIZE * matrices.shape[-1], _STEPS_UNSEEN))
    tridiagonal, _ = iteration.tridiagonal()
    power = tridiagonal
    for _ in range(_SQUARINGS):
        power = power @ power
        power = power / power.abs().amax(dim=(1, 2), keepdim=True).clamp(min=torch.finfo(power.dtype).tiny)
    trace = power.diagonal(dim1=1, dim2=2).sum(dim=1)
    return ((tridiagonal * power).sum(dim=(1, 2)) / torch.where(trace > 0, trace, 1.0)).to(matrices.dtype)


_ITEMS_BEFORE_SINGULAR_VALUE = 4


def singular_values(matrices: Sequence[Waiting]) -> list[Part]:
    """Computes the largest singular value of each matrix, by a compiled kernel where that can; NaN where it cannot be computed."""
    groups: dict[tuple[torch.dtype, torch.device], list[Waiting]] = {}
    for one in matrices:
        groups.setdefault((one.numbers.precision, one.values.device), []).append(one)
    parts = []
    for (precision, device), members in groups.items():
        try:
            found = _of_one_kind([one.values.to(precision) for one in members])
        except RuntimeError:
            found = torch.full((len(members),), torch.nan, dtype=precision, device=device)
        parts.append(Part(Place(tuple(one.key for one in members), "statistics", _ITEMS_BEFORE_SINGULAR_VALUE), found[:, None]))
    return parts


def _of_one_kind(matrices: Sequence[Tensor]) -> Tensor:
    """`[T]`, for matrices of one dtype and device."""
    fit = [position for position, matrix in enumerate(matrices) if is_fit(matrix)]
    if not fit:
        return torch.stack(largest_singular_values(matrices))
    found = np.full(len(matrices), np.nan)
    found[fit] = compiled_singular_values([matrices[position] for position in fit])
    rest = np.isnan(found).nonzero()[0].tolist()
    if rest:
        found[rest] = torch.stack(largest_singular_values([matrices[position] for position in rest])).numpy()
    return torch.from_numpy(found).to(matrices[0].dtype)


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
