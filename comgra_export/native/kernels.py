"""The functions of the C files here. They release the GIL, and allocate nothing.

Addresses are those of contiguous memory of the CPU. Shapes: `R` rows, `N` values in a row, `M` columns of all tensors
together, `T` tensors.

`threads` limits how many threads compute, with the calling thread. They are torch's threads. Results do not depend on it. With another
number than torch's own, OpenMP ends torch's threads and starts new ones.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache

from comgra_export.native.compiling import LIBRARY, fingerprint

__all__ = ["Kernels", "load_kernels"]

_ADDRESS, _COUNT, _THREADS = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int


class Kernels:
    """The functions of the library, which was compiled from the files here.

    Attributes:
        has_threads: Whether torch was loaded before, and has threads to compute on.
        largest_magnitude_of_both: The largest magnitude of two tensors, as `largest_magnitude` finds it for one. Gets the address and the
            size of each. The function of the library itself: it is called at every step of a training.
    """

    def __init__(self, library: ctypes.CDLL) -> None:
        self._read_rows = library.read_rows
        self._read_rows.argtypes = [_ADDRESS, _COUNT, _COUNT, _ADDRESS, _COUNT, _ADDRESS, _THREADS]
        self._read_rows.restype = _COUNT
        self._summarize_column_groups = library.summarize_column_groups
        self._summarize_column_groups.argtypes = [_ADDRESS, _COUNT, _COUNT, *[_ADDRESS] * 5]
        self._summarize_column_groups.restype = _COUNT
        self._aggregate_columns = library.aggregate_columns
        self._aggregate_columns.argtypes = [_ADDRESS, _COUNT, _COUNT, _ADDRESS, _THREADS]
        self._aggregate_columns.restype = None
        self._measure_units = library.measure_units
        self._measure_units.argtypes = [_ADDRESS, *[_COUNT] * 4, _ADDRESS, _THREADS]
        self._measure_units.restype = None
        self._measure_change = library.measure_change
        self._measure_change.argtypes = [_ADDRESS, _ADDRESS, _COUNT, _ADDRESS, _THREADS]
        self._measure_change.restype = None
        self._count_ascending = library.count_ascending
        self._count_ascending.argtypes = [_ADDRESS, _COUNT, *[_ADDRESS] * 3, _COUNT, _ADDRESS]
        self._count_ascending.restype = None
        self._largest_singular_values = library.largest_singular_values
        self._largest_singular_values.argtypes = [*[_ADDRESS] * 3, _COUNT, _ADDRESS, _COUNT, _ADDRESS, _THREADS]
        self._largest_singular_values.restype = None
        self._largest_magnitude = library.largest_magnitude
        self._largest_magnitude.argtypes = [_ADDRESS, _COUNT, _THREADS]
        self._largest_magnitude.restype = ctypes.c_float
        library.largest_magnitude_of_both.argtypes = [_ADDRESS, _COUNT, _ADDRESS, _COUNT]
        library.largest_magnitude_of_both.restype = ctypes.c_float
        self.largest_magnitude_of_both: Callable[[int, int, int, int], float] = library.largest_magnitude_of_both
        threads = _threads_of_torch()
        self.has_threads = threads is not None
        library.use_threads.argtypes = [_ADDRESS]
        library.use_threads.restype = None
        library.use_threads(threads)

    def read_rows(
        self, values: int, rows: int, size: int, sums: int, *, stride: int = 1, copy: int | None = None, threads: int = 1
    ) -> int | None:
        """Adds up every row.

        Args:
            values: float32 `[R, N]`.
            rows: `R`, at least 1.
            size: `N`, at least 1.
            sums: float64 `[5, R]`, written. For each row: the smallest and the largest value, the sum of values, the sum of magnitudes,
                and the sum of squared deviations from the mean.
            stride: Every `stride`-th of the `R * N` values is copied, starting with the first.
            copy: The address to copy to, float32 `[ceil(R * N / stride)]`; None to copy nothing.
            threads: See above.

        Returns:
            How many values are zero; None if a value is not finite. Then `sums` may hold anything, but the values are copied.
        """
        zeros: int = self._read_rows(values, rows, size, sums, stride, copy, threads)
        return None if zeros < 0 else zeros

    def largest_magnitude(self, values: int, size: int, threads: int = 1) -> float:
        """Finds the largest magnitude.

        Args:
            values: float32 `[N]`.
            size: `N`, which may be 0.
            threads: See above.

        Returns:
            The magnitude: 0 without values, NaN if a value is NaN, and otherwise infinite if a value is.
        """
        magnitude: float = self._largest_magnitude(values, size, threads)
        return magnitude

    def summarize_column_groups(
        self, matrix: int, rows: int, tensors: int, sizes: int, *, items: int, extrema: int, zeros: int, over_batch: int | None
    ) -> bool:
        """Computes the numbers of tensors whose columns lie together in a matrix.

        Args:
            matrix: float32 `[R, M]`.
            rows: `R`, at least 1.
            tensors: `T`.
            sizes: int64 `[T]`: how many columns each tensor has, at least one; `M` together.
            items: float64 `[T, 4, R]`, written: mean, mean magnitude, unbiased standard deviation and largest magnitude of every row; the
                deviation of a single value is 0.
            extrema: float32 `[T, 2]`, written: smallest and largest value.
            zeros: int64 `[T]`, written: how many values are zero.
            over_batch: float32 `[T, 4, 3]`, written: mean, largest magnitude and standard deviation of each item over the rows; or None.

        Returns:
            Whether all values are finite. Otherwise what was written may hold anything.
        """
        result: int = self._summarize_column_groups(matrix, rows, tensors, sizes, items, extrema, zeros, over_batch)
        return result == 0

    def aggregate_columns(self, matrix: int, rows: int, columns: int, aggregates: int, threads: int = 1) -> None:
        """Computes the numbers of every column over the batch.

        Args:
            matrix: float32 `[R, M]`, finite.
            rows: `R`, at least 1.
            columns: `M`.
            aggregates: float32 `[3, M]`, written: mean, largest magnitude and unbiased standard deviation of every column. The deviation
                of a single value is 0.
            threads: See above.
        """
        self._aggregate_columns(matrix, rows, columns, aggregates, threads)

    def measure_units(self, values: int, outer: int, units: int, inner: int, *, count: int, measured: int, threads: int = 1) -> None:
        """Measures units of a tensor, over all other dimensions.

        Args:
            values: float32 `[outer, units, inner]`, any values.
            outer: At least 1.
            units: At least 1.
            inner: At least 1.
            count: How many units are measured, evenly spaced: from 1 to `units`.
            measured: float32 `[2, count]`, written: the largest magnitude of each, then the mean magnitude of each. NaN if a value is NaN.
            threads: See above.
        """
        self._measure_units(values, outer, units, inner, count, measured, threads)

    def measure_change(self, before: int, now: int | None, size: int, norms: int, threads: int = 1) -> None:
        """Computes norms.

        Args:
            before: float32 `[N]`, any values.
            now: Also float32 `[N]`, any values; or None.
            size: `N`.
            norms: float64 `[2]`, written: the 2-norm of `before`, and that of the difference, which is 0 without `now`. NaN if a value is
                NaN, and otherwise infinite if a value is.
            threads: See above.
        """
        self._measure_change(before, now, size, norms, threads)

    def count_ascending(self, ascending: int, size: int, shares: int, wanted: int, *, summary: int, counts: int, quantiles: int) -> None:
        """Counts values in the bins of histograms, of which there are 1020 on either side of zero.

        Do not call it in a thread that takes subnormal numbers for zeros.

        Args:
            ascending: float32 `[N]`, in ascending order; NaN comes last.
            size: `N`, which may be 0.
            shares: float64 `[Q]`, from 0 to 1: which quantiles to compute.
            wanted: `Q`.
            summary: int64 `[8]`, written: a histogram's row in `storage.arrays.histograms.encode_histograms`.
            counts: int64 `[2040]`. As many are written as there are bins.
            quantiles: float32 `[Q]`, written. For each share `q`: the value at place `floor(q * (n - 1))` of the `n` values that are not
                NaN; NaN if all are NaN.
        """
        self._count_ascending(ascending, size, summary, counts, shares, wanted, quantiles)

    def largest_singular_values(
        self, matrices: int, rows: int, columns: int, count: int, *, room: int, room_per_thread: int, values: int, threads: int = 1
    ) -> None:
        """Computes largest singular values.

        Args:
            matrices: uint64 `[T]`: addresses, each of float32 `[R, M]`. The matrices that take longest come first.
            rows: int64 `[T]`: each `R`, at least 1.
            columns: int64 `[T]`: each `M`, at least 1.
            count: `T`.
            room: float64 `[min(threads, T), W]`, written.
            room_per_thread: `W`, at least three times the largest `M`.
            values: float64 `[T]`, written, correct to a relative 1e-5. NaN if a matrix is zero or holds a value that is not finite. NaN
                also if this method does not work for it: its singular value is below 1e-12 or above 1e15, or its singular values crowd at
                the top.
            threads: See above.
        """
        self._largest_singular_values(matrices, rows, columns, count, room, room_per_thread, values, threads)


@cache
def load_kernels() -> Kernels | None:
    """The library of this machine; None if there is none, or if it was compiled from other files than those here."""
    try:
        library = ctypes.CDLL(str(LIBRARY))
        library.kernels_fingerprint.restype = _COUNT
        return Kernels(library) if library.kernels_fingerprint() == fingerprint() else None
    except (OSError, AttributeError):
        return None


def _threads_of_torch() -> int | None:
    """The function of OpenMP that runs a function on several threads. It belongs to the library that torch has loaded for the process.

    GCC's library has it, and so have the libraries that replace it. On other systems, such as macOS, one thread does everything.
    """
    try:
        return ctypes.cast(ctypes.CDLL(None).GOMP_parallel, ctypes.c_void_p).value
    except (OSError, AttributeError, TypeError):
        return None
