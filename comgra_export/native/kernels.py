"""The functions of the C files here. They release the GIL, and allocate nothing.

Addresses are those of contiguous memory of the CPU. `R` rows of `N` values, or of `M` columns together; `T` tensors. `threads` says how
many threads compute, the calling one among them, where there is enough to do: those that torch has for this. Results do not depend on it.
Another number than torch takes lets OpenMP end torch's threads and start new ones.
"""

from __future__ import annotations

import ctypes
from functools import cache

from comgra_export.native.compiling import LIBRARY, fingerprint

__all__ = ["Kernels", "load_kernels"]

_ADDRESS, _COUNT, _THREADS = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int


class Kernels:
    """What the library can do.

    Args:
        library: The library, made of the files here.

    Attributes:
        has_threads: Whether torch, loaded before, has threads to compute on.
    """

    def __init__(self, library: ctypes.CDLL) -> None:
        self._look_at_rows = library.look_at_rows
        self._look_at_rows.argtypes = [_ADDRESS, _COUNT, _COUNT, _ADDRESS, _COUNT, _ADDRESS, _THREADS]
        self._look_at_rows.restype = _COUNT
        self._summarize_side_by_side = library.summarize_side_by_side
        self._summarize_side_by_side.argtypes = [_ADDRESS, _COUNT, _COUNT, *[_ADDRESS] * 5]
        self._summarize_side_by_side.restype = _COUNT
        self._aggregate_columns = library.aggregate_columns
        self._aggregate_columns.argtypes = [_ADDRESS, _COUNT, _COUNT, _ADDRESS, _THREADS]
        self._aggregate_columns.restype = None
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
        threads = _threads_of_torch()
        self.has_threads = threads is not None
        library.use_threads.argtypes = [_ADDRESS]
        library.use_threads.restype = None
        library.use_threads(threads)

    def look_at_rows(
        self, values: int, rows: int, size: int, found: int, *, stride: int = 1, taken: int | None = None, threads: int = 1
    ) -> int | None:
        """Looks at every value once.

        Args:
            values: float32 `[R, N]`.
            rows: `R`, at least 1.
            size: `N`, likewise.
            found: float64 `[5, R]`, written: of each row the smallest and the largest value, the sums of values and of magnitudes, and the
                sum of squared deviations from the mean.
            stride: Every so-manieth of the `R * N` values is copied, from the first one on.
            taken: Where to, float32 `[ceil(R * N / stride)]`; None to copy none.
            threads: See above.

        Returns:
            How many values are zero; None where one is not finite. Then `found` may hold anything, but the copies are made.
        """
        zeros: int = self._look_at_rows(values, rows, size, found, stride, taken, threads)
        return None if zeros < 0 else zeros

    def largest_magnitude(self, values: int, size: int, threads: int = 1) -> float:
        """Looks for the largest magnitude.

        Args:
            values: float32 `[N]`.
            size: `N`, which may be 0.
            threads: See above.

        Returns:
            The magnitude: 0 where there are no values, infinite where one is, NaN where one is.
        """
        found: float = self._largest_magnitude(values, size, threads)
        return found

    def summarize_side_by_side(
        self, matrix: int, rows: int, tensors: int, sizes: int, *, items: int, extrema: int, zeros: int, over_batch: int | None
    ) -> bool:
        """Computes the numbers of tensors that lie side by side.

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
        result: int = self._summarize_side_by_side(matrix, rows, tensors, sizes, items, extrema, zeros, over_batch)
        return result == 0

    def aggregate_columns(self, matrix: int, rows: int, columns: int, found: int, threads: int = 1) -> None:
        """Computes what is recorded of a batch of every value.

        Args:
            matrix: float32 `[R, M]`, finite.
            rows: `R`, at least 1.
            columns: `M`.
            found: float32 `[3, M]`, written: mean, largest magnitude and unbiased standard deviation of every column; that of a single
                value is 0.
            threads: See above.
        """
        self._aggregate_columns(matrix, rows, columns, found, threads)

    def measure_change(self, before: int, now: int | None, size: int, found: int, threads: int = 1) -> None:
        """Computes norms.

        Args:
            before: float32 `[N]`, any values.
            now: Likewise; or None.
            size: `N`.
            found: float64 `[2]`, written: the 2-norm of `before`, and that of the difference; 0 without `now`. NaN where a value is, and
                infinity where one is.
            threads: See above.
        """
        self._measure_change(before, now, size, found, threads)

    def count_ascending(self, ascending: int, size: int, quantiles: int, wanted: int, *, summary: int, counts: int, found: int) -> None:
        """Counts values in the bins of histograms, of which there are 1020 on either side of zero.

        The thread may not take subnormal numbers for zeros.

        Args:
            ascending: float32 `[N]`, in ascending order; NaN comes last.
            size: `N`, which may be 0.
            quantiles: float64 `[Q]`, from 0 to 1.
            wanted: `Q`.
            summary: int64 `[8]`, written: what `storage.histograms.encode_histograms` says of a histogram.
            counts: int64 `[2040]`, of which as many are written as there are bins, likewise.
            found: float32 `[Q]`, written: of every quantile the value at place `floor(q * (n - 1))` of the `n` that are not NaN; NaN where
                there are none.
        """
        self._count_ascending(ascending, size, summary, counts, quantiles, wanted, found)

    def largest_singular_values(
        self, matrices: int, rows: int, columns: int, count: int, *, room: int, room_per_thread: int, found: int, threads: int = 1
    ) -> None:
        """Computes largest singular values.

        Args:
            matrices: uint64 `[T]`: addresses, each of float32 `[R, M]`. Those that take long come first.
            rows: int64 `[T]`: each `R`, at least 1.
            columns: int64 `[T]`: each `M`, likewise.
            count: `T`.
            room: float64 `[min(threads, T), W]`, written.
            room_per_thread: `W`, at least three times the largest `M`.
            found: float64 `[T]`, written. Correct to a relative 1e-5; NaN where a matrix is zero, holds a value that is not finite, or is
                one of those for which this way is not fit: whose singular value is below 1e-12 or above 1e15, or whose values crowd at the
                top.
            threads: See above.
        """
        self._largest_singular_values(matrices, rows, columns, count, room, room_per_thread, found, threads)


@cache
def load_kernels() -> Kernels | None:
    """The library of this machine; None where there is none, or one that was made of other files than are here."""
    try:
        library = ctypes.CDLL(str(LIBRARY))
        library.kernels_fingerprint.restype = _COUNT
        return Kernels(library) if library.kernels_fingerprint() == fingerprint() else None
    except (OSError, AttributeError):
        return None


def _threads_of_torch() -> int | None:
    """The function of the OpenMP library that torch has loaded for everybody to see, by which a function runs on several threads.

    GCC's library has it, and so have those that take its place. Elsewhere, such as on macOS, everything is done by one thread.
    """
    try:
        return ctypes.cast(ctypes.CDLL(None).GOMP_parallel, ctypes.c_void_p).value
    except (OSError, AttributeError, TypeError):
        return None
