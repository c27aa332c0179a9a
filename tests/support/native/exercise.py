"""Calls every compiled kernel on random shapes, with memory of exactly the size that it asks for. Needs no torch.

`python -m support.native.exercise LIBRARY ROUNDS SEED` does so with another library than the installed one, such as a sanitized build.
"""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from comgra_export.native import kernels
from comgra_export.native.kernels import Kernels

__all__ = ["exercise"]

_THREADS = 3


def exercise(library: Kernels, rounds: int, seed: int) -> int:
    """Calls every kernel so often, and returns how many calls that were."""
    random = np.random.default_rng(seed)
    calls = 0
    for _ in range(rounds):
        rows, size = int(random.integers(1, 40)), int(random.choice([1, 2, 15, 16, 17, 511, 512, 513, int(random.integers(1, 6000))]))
        values = _values(random, rows * size)
        stride = int(random.integers(1, rows * size + 1))
        copy = np.empty(-(-rows * size // stride), np.float32)
        library.read_rows(_at(values), rows, size, _at(np.empty(5 * rows)), stride=stride, copy=_at(copy), threads=_THREADS)
        library.read_rows(_at(values), rows, size, _at(np.empty(5 * rows)))
        library.largest_magnitude(_at(values), int(random.integers(0, rows * size + 1)), _THREADS)
        library.measure_change(_at(values), _at(_values(random, rows * size)), rows * size, _at(np.empty(2)), _THREADS)
        library.measure_change(_at(values), None, rows * size, _at(np.empty(2)), _THREADS)
        library.aggregate_columns(_at(values), rows, size, _at(np.empty(3 * size, np.float32)), _THREADS)
        cuts = np.unique(random.integers(0, size + 1, 3))
        sizes = np.diff(np.unique([0, *cuts, size])).astype(np.int64)
        tensors = len(sizes)
        library.summarize_column_groups(
            _at(values),
            rows,
            tensors,
            _at(sizes),
            items=_at(np.empty(4 * rows * tensors)),
            extrema=_at(np.empty(2 * tensors, np.float32)),
            zeros=_at(np.empty(tensors, np.int64)),
            over_batch=_at(np.empty(12 * tensors, np.float32)) if random.random() < 0.5 else None,
        )
        count = int(random.integers(1, rows + 1))
        measured = np.empty(2 * count, np.float32)
        library.measure_units(_at(values), 1, rows, size, count=count, measured=_at(measured), threads=_THREADS)
        ascending, shares = np.sort(values[: int(random.integers(0, values.size + 1))]), np.array([0.0, 0.01, 0.5, 1.0])
        library.count_ascending(
            _at(ascending),
            ascending.size,
            _at(shares),
            shares.size,
            summary=_at(np.empty(8, np.int64)),
            counts=_at(np.empty(2040, np.int64)),
            quantiles=_at(np.empty(shares.size, np.float32)),
        )
        _singular_values(library, random)
        calls += 11
    return calls


def _singular_values(library: Kernels, random: np.random.Generator) -> None:
    shapes = random.integers(1, 60, (int(random.integers(1, 5)), 2))
    matrices = [_values(random, int(rows * columns)) for rows, columns in shapes]
    addresses = np.array([_at(matrix) for matrix in matrices], np.uint64)
    rows, columns = (np.ascontiguousarray(side, np.int64) for side in shapes.T)
    room = np.empty((min(_THREADS, len(matrices)), 3 * int(columns.max())))
    library.largest_singular_values(
        _at(addresses),
        _at(rows),
        _at(columns),
        len(matrices),
        room=_at(room),
        room_per_thread=room.shape[1],
        values=_at(np.empty(len(matrices))),
        threads=_THREADS,
    )


def _values(random: np.random.Generator, count: int) -> NDArray[np.float32]:
    values: NDArray[np.float32] = random.standard_normal(count).astype(np.float32) * np.float32(10.0 ** random.integers(-40, 38))
    if random.random() < 0.5:
        odd = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-45, 3.4e38], np.float32)
        values[random.integers(0, count, 5)] = random.choice(odd, 5)
    return values


def _at(array: NDArray[np.generic]) -> int:
    _alive.append(array)
    del _alive[:-64]
    return int(array.ctypes.data)


# An array that is passed as an address has to live until the call is over.
_alive: list[NDArray[np.generic]] = []


if __name__ == "__main__":
    if sys.platform == "linux":
        # Torch would bring it: the kernels share its threads.
        ctypes.CDLL("libgomp.so.1", mode=ctypes.RTLD_GLOBAL)
    kernels.LIBRARY = Path(sys.argv[1])  # type: ignore[attr-defined]
    loaded = kernels.load_kernels()
    assert loaded is not None
    assert loaded.has_threads or sys.platform != "linux"
    print(exercise(loaded, int(sys.argv[2]), int(sys.argv[3])), "calls")
