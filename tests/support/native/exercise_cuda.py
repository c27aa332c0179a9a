"""Calls every CUDA kernel, compiled for the CPU, on random shapes, with memory of exactly the size that it asks for. Needs no torch.

`python -m support.native.exercise_cuda LIBRARY ROUNDS SEED` does so with a library such as a sanitized build.
"""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray

from comgra_export.native.cuda import DeviceKernels
from comgra_export.native.cuda.kernels import FIELDS, SCRATCH_COUNTERS, SCRATCH_DOUBLES, SCRATCH_MAGNITUDES, KernelScratch
from support.native.cuda_on_cpu import EmulatedModule

__all__ = ["exercise"]

_DTYPES = {"F32": np.uint32, "F16": np.uint16, "BF16": np.uint16}


def exercise(kernels: DeviceKernels, rounds: int, seed: int) -> int:
    """Calls every kernel so often, and returns how many calls that were. Values are random bits, which hold NaN and infinities."""
    random = np.random.default_rng(seed)
    counters = np.zeros(SCRATCH_COUNTERS, np.uint32)
    doubles, magnitudes = np.zeros(SCRATCH_DOUBLES), np.zeros(SCRATCH_MAGNITUDES, np.uint32)
    scratch = KernelScratch(doubles.ctypes.data, magnitudes.ctypes.data, counters.ctypes.data)
    calls = 0
    for _ in range(rounds):
        for dtype in _DTYPES:
            rows, size = _choice(random, [(1, 1), (3, 7), (40, 3), (2, 9000), (1, 20_001), (1 + calls % 97, 1 + calls % 89)])
            values = _bits(random, dtype, rows * size)
            sums, stride = np.empty(rows * FIELDS), int(random.integers(1, rows * size + 1))
            sample = np.empty(-(-rows * size // stride), _DTYPES[dtype])
            kernels.read_rows(
                *(dtype, values.ctypes.data, rows, size),
                sums=sums.ctypes.data,
                scratch=scratch,
                stream=0,
                stride=stride,
                sample=sample.ctypes.data,
            )
            assert np.array_equal(sample, values[::stride])
            kernels.read_rows(dtype, values.ctypes.data, rows, size, sums=sums.ctypes.data, scratch=scratch, stream=0)
            outer, units, inner = _choice(random, [(70, 40, 1), (7, 3, 49), (1, 3, 1), (1 + calls % 29, 1 + calls % 23, 1 + calls % 19)])
            chosen = int(random.integers(1, units + 1))
            values, result = _bits(random, dtype, outer * units * inner), np.empty(2 * chosen, np.float32)
            kernels.measure_units(
                dtype, values.ctypes.data, (outer, units, inner), chosen, result=result.ctypes.data, scratch=scratch, stream=0
            )
            calls += 3
        count, side = int(random.integers(1, 4)), int(random.integers(1, 30))
        factors = random.standard_normal((count, side, side + 2)).astype(np.float32)
        matrices, result_of_matrices = factors @ factors.transpose(0, 2, 1), np.empty(count)
        kernels.largest_eigenvalues(matrices.ctypes.data, count, side, result=result_of_matrices.ctypes.data, stream=0)
        calls += 1
        assert not counters.any()
    return calls


def _choice(random: np.random.Generator, shapes: list[tuple[int, ...]]) -> tuple[int, ...]:
    return shapes[random.integers(len(shapes))]


def _bits(random: np.random.Generator, dtype: str, count: int) -> NDArray[np.unsignedinteger]:
    """So many values. They often do not begin where 16 bytes do, and end with their memory."""
    before = int(random.integers(0, 4))
    bits: NDArray[np.unsignedinteger] = np.frombuffer(random.bytes((before + count) * _DTYPES[dtype]().itemsize), _DTYPES[dtype]).copy()
    return bits[before:]


if __name__ == "__main__":
    print(exercise(DeviceKernels(EmulatedModule(sys.argv[1])), int(sys.argv[2]), int(sys.argv[3])), "calls")
