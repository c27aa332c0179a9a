"""The kernels of the CUDA files here, and what they are called with.

Addresses are those of contiguous memory of the device. Shapes: `R` rows, `N` values in a row, `U` units that are measured, `T` matrices.
Dtypes are `F32`, `F16` and `BF16`. Kernels of one stream run one after the other, so they may share a `KernelScratch`.
"""

from __future__ import annotations

import struct
from typing import NamedTuple, Protocol

__all__ = [
    "FIELDS",
    "LARGEST_MATRIX",
    "MOST_UNITS",
    "SCRATCH_COUNTERS",
    "SCRATCH_DOUBLES",
    "SCRATCH_MAGNITUDES",
    "DeviceKernels",
    "KernelScratch",
    "Launcher",
]

FIELDS = 11
"""What `read_rows` writes for a row: the sum of values and of magnitudes; the sum and the sum of squares of distances from the first value
of the row, or from 0 if that is not finite; the smallest and the largest finite value, infinity and -infinity if there is none; how many
values are NaN, infinity, -infinity, and zero; `N`."""

LARGEST_MATRIX = 2048
"""The largest `n` that `largest_eigenvalues` takes."""

MOST_UNITS = 1024
"""The largest `U`."""

# As in the CUDA files.
_THREADS = 256
_THREADS_OF_MATRIX = 1024
_MOST_STEPS = 192

# More blocks than this do not make a device faster, and a block should have so much to read.
_MOST_BLOCKS = 1024
_VALUES_OF_BLOCK = 8192
# Neighbouring threads read neighbouring units if these lie side by side.
_UNITS_SIDE_BY_SIDE = 32
_ROWS_OF_BLOCK = 64

SCRATCH_DOUBLES = _MOST_BLOCKS * _UNITS_SIDE_BY_SIDE
SCRATCH_MAGNITUDES = _MOST_BLOCKS * _UNITS_SIDE_BY_SIDE
SCRATCH_COUNTERS = _MOST_BLOCKS

_ROWS = struct.Struct("<QqqqQQQqQ")
_UNITS = struct.Struct("<QqqqqqqqQQQQ")
_GRAMS = struct.Struct("<QqqQ")


class Launcher(Protocol):
    """Starts kernels on a device."""

    def launch(self, name: str, blocks: int, threads: int, stream: int, argument: bytes) -> None:
        """Starts a kernel that takes a structure. Nothing waits for the device."""


class KernelScratch(NamedTuple):
    """Addresses of memory in which the blocks of a kernel leave intermediate results.

    Attributes:
        doubles: float64 `[SCRATCH_DOUBLES]`.
        magnitudes: uint32 `[SCRATCH_MAGNITUDES]`.
        counters: uint32 `[SCRATCH_COUNTERS]`, all zero, which they also are after each kernel.
    """

    doubles: int
    magnitudes: int
    counters: int


class DeviceKernels:
    """The kernels, on one device. Nothing waits for it, and what is read and written must stay until the kernel has run."""

    def __init__(self, launcher: Launcher) -> None:
        self._launcher = launcher

    def read_rows(
        self,
        dtype: str,
        values: int,
        rows: int,
        size: int,
        *,
        sums: int,
        scratch: KernelScratch,
        stream: int,
        stride: int = 0,
        sample: int = 0,
    ) -> None:
        """Reads the rows of a tensor.

        Args:
            dtype: That of the values.
            values: `[R, N]`.
            rows: `R`, at least 1.
            size: `N`, at least 1.
            sums: float64 `[R, FIELDS]`, written.
            scratch: Memory for intermediate results.
            stream: The stream of the device.
            stride: Every `stride`-th of the `R * N` values is copied, starting with the first; 0 to copy nothing.
            sample: The address to copy to, `[ceil(R * N / stride)]`, in the same dtype.
        """
        parts = min(max(1, _MOST_BLOCKS // rows), -(-size // _VALUES_OF_BLOCK))
        argument = _ROWS.pack(values, rows, size, parts, sums, scratch.doubles, scratch.counters, stride, sample)
        self._launcher.launch(f"read_rows_{dtype}", rows * parts, _THREADS, stream, argument)

    def measure_units(
        self, dtype: str, values: int, shape: tuple[int, int, int], chosen: int, *, result: int, scratch: KernelScratch, stream: int
    ) -> None:
        """Measures the units of a tensor.

        Args:
            dtype: That of the values.
            values: `[outer, units, inner]`, not empty.
            shape: These three.
            chosen: `U`: so many units are measured, at equal distances. At most `MOST_UNITS`, and at most `units`.
            result: float32 `[2, U]`, written: the largest magnitude of each, and the mean magnitude of each. NaN if a value is NaN.
            scratch: Memory for intermediate results.
            stream: The stream of the device.
        """
        outer, units, inner = shape
        if inner == 1:
            together, lanes, least = _UNITS_SIDE_BY_SIDE, 1, -(-outer // _ROWS_OF_BLOCK)
        else:
            together, lanes = 1, min(_THREADS, 1 << (inner - 1).bit_length())
            least = min(outer, -(-outer * inner // _VALUES_OF_BLOCK))
        tiles = -(-chosen // together)
        parts = min(max(1, _MOST_BLOCKS // tiles), least)
        argument = _UNITS.pack(
            *(values, outer, units, inner, chosen, together, lanes, parts),
            *(result, scratch.doubles, scratch.magnitudes, scratch.counters),
        )
        self._launcher.launch(f"measure_units_{dtype}", tiles * parts, _THREADS, stream, argument)

    def largest_eigenvalues(self, matrices: int, count: int, size: int, *, result: int, stream: int) -> None:
        """Finds the largest eigenvalues of symmetric matrices that have no negative ones.

        If dozens of eigenvalues lie within 1 % of the largest, its last digits can be wrong.

        Args:
            matrices: float32 `[T, n, n]`.
            count: `T`, at least 1.
            size: `n`, from 1 to `LARGEST_MATRIX`.
            result: float64 `[T]`, written.
            stream: The stream of the device.
        """
        # In exact arithmetic a matrix needs `n` steps. With rounding, it needs some more if its eigenvalues crowd at the top.
        argument = _GRAMS.pack(matrices, size, min(3 * size, _MOST_STEPS), result)
        self._launcher.launch("largest_eigenvalues", count, _THREADS_OF_MATRIX, stream, argument)
