"""The CUDA kernels, run on the CPU, against numpy."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import Tensor

from comgra_export.native.cuda import CannotCompileError, DeviceKernels, compile_kernels, find_compiler
from comgra_export.native.cuda.kernels import FIELDS, SCRATCH_COUNTERS, SCRATCH_DOUBLES, SCRATCH_MAGNITUDES, KernelScratch
from support.native.cuda_on_cpu import EmulatedModule, emulated_module

__all__ = ["emulated_module"]

DTYPES = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}
DOUBLES, MAGNITUDES = np.zeros(SCRATCH_DOUBLES), np.zeros(SCRATCH_MAGNITUDES, np.uint32)
COUNTERS = np.zeros(SCRATCH_COUNTERS, np.uint32)
SCRATCH = KernelScratch(DOUBLES.ctypes.data, MAGNITUDES.ctypes.data, COUNTERS.ctypes.data)


@pytest.fixture
def kernels(emulated_module: EmulatedModule) -> DeviceKernels:
    torch.manual_seed(0)
    return DeviceKernels(emulated_module)


def fields_of(values: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    finite, first = np.isfinite(values), values[:, :1]
    distances = values - np.where(np.isfinite(first), first, 0)
    with np.errstate(over="ignore", invalid="ignore"):
        columns = [values.sum(1), np.abs(values).sum(1), distances.sum(1), np.square(distances).sum(1)]
    columns += [np.where(finite, values, np.inf).min(1), np.where(finite, values, -np.inf).max(1)]
    columns += [np.isnan(values).sum(1), (values == np.inf).sum(1), (values == -np.inf).sum(1), (values == 0).sum(1)]
    return np.stack([*columns, np.full(len(values), values.shape[1])], axis=1)


SHAPES = {"one block": (1, 100, 0), "odd rows": (3, 7, 0), "many blocks": (1, 50_000, 1), "rows of many blocks": (4, 20_001, 3)}
SHAPES |= {"short rows": (1100, 3, 0), "a value": (1, 1, 5)}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_are_read_as_numpy_reads_them(kernels: DeviceKernels, dtype: str, shape: str) -> None:
    rows, size, odd = SHAPES[shape]
    # With `odd`, they do not begin where 16 bytes do.
    values = torch.randn(rows * size + odd).to(DTYPES[dtype])[odd:]
    values[size // 2] = 0
    sums, sample = np.full((rows, FIELDS), -7.0), torch.zeros(-(-len(values) // 13)).to(DTYPES[dtype])
    kernels.read_rows(
        dtype, values.data_ptr(), rows, size, sums=sums.ctypes.data, scratch=SCRATCH, stream=0, stride=13, sample=sample.data_ptr()
    )
    np.testing.assert_allclose(sums, fields_of(values.double().view(rows, size).numpy()), rtol=1e-12, atol=1e-9)
    assert torch.equal(sample, values[::13])
    assert not COUNTERS.any()


@pytest.mark.parametrize("dtype", DTYPES)
def test_values_that_are_not_finite_are_counted(kernels: DeviceKernels, dtype: str) -> None:
    nan, infinity = torch.nan, torch.inf
    values = torch.tensor(
        [[nan, 1, -2], [infinity, 1, 1], [-infinity, 0, infinity], [nan, nan, nan], [1, 1, infinity]], dtype=DTYPES[dtype]
    )
    sums = np.zeros((5, FIELDS))
    kernels.read_rows(dtype, values.data_ptr(), 5, 3, sums=sums.ctypes.data, scratch=SCRATCH, stream=0)
    np.testing.assert_array_equal(sums, fields_of(values.double().numpy()))


def test_equal_values_have_no_distance(kernels: DeviceKernels) -> None:
    values, sums = torch.full((30_000,), 1.1), np.zeros((1, FIELDS))
    kernels.read_rows("F32", values.data_ptr(), 1, len(values), sums=sums.ctypes.data, scratch=SCRATCH, stream=0)
    assert (sums[0, 2], sums[0, 3]) == (0, 0)


UNITS = {
    "columns": (300, 10, 1, 10),
    "columns of many blocks": (5000, 40, 1, 40),
    "channels": (7, 3, 49, 3),
    "channels of many blocks": (64, 5, 300, 5),
    "every second column": (9, 2000, 1, 1000),
    "a row": (1, 3, 1, 3),
    "long channels": (2, 1, 5000, 1),
}


@pytest.mark.parametrize("name", UNITS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_units_are_measured_as_torch_measures_them(kernels: DeviceKernels, dtype: str, name: str) -> None:
    outer, units, inner, chosen = UNITS[name]
    values = torch.randn(outer, units, inner).to(DTYPES[dtype])
    values[-1, -1, -1] = torch.nan
    result = np.zeros((2, chosen), np.float32)
    kernels.measure_units(dtype, values.data_ptr(), (outer, units, inner), chosen, result=result.ctypes.data, scratch=SCRATCH, stream=0)
    magnitudes = values[:, torch.arange(chosen) * units // chosen].abs().double()
    expected = torch.stack([magnitudes.amax((0, 2)), magnitudes.mean((0, 2))])
    np.testing.assert_allclose(result, expected.numpy(), rtol=1e-6)
    assert not COUNTERS.any()


def eigenvalues(kernels: DeviceKernels, matrices: Tensor) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    result = np.zeros(len(matrices))
    kernels.largest_eigenvalues(matrices.data_ptr(), len(matrices), matrices.shape[1], result=result.ctypes.data, stream=0)
    return result


@pytest.mark.parametrize("size", [1, 2, 9, 30])
def test_largest_eigenvalues_are_those_of_lapack(kernels: DeviceKernels, size: int) -> None:
    factors = torch.randn(2, size, size + 5, dtype=torch.float64)
    matrices = (factors @ factors.mT).float().contiguous()
    np.testing.assert_allclose(eigenvalues(kernels, matrices), torch.linalg.eigvalsh(matrices.double())[:, -1].numpy(), rtol=1e-6)


def test_eigenvalues_of_odd_matrices(kernels: DeviceKernels) -> None:
    last = torch.zeros(5, 5)
    last[4, 4] = 3
    matrices = torch.stack([torch.zeros(5, 5), torch.eye(5), torch.ones(5, 5), last, torch.diag(torch.tensor([2.0, 2, 1, 0, 0]))])
    np.testing.assert_allclose(eigenvalues(kernels, matrices), [0, 1, 5, 3, 2], rtol=1e-6)


def test_there_may_be_no_compiler() -> None:
    with pytest.raises(CannotCompileError, match=r"not found \(libnowhere.so.1\)"):
        find_compiler(["libnowhere.so.1"], [])


def test_a_compiler_may_refuse() -> None:
    class Refusing:
        def __getattr__(self, name: str) -> object:
            def call(*_: object) -> int:
                return 6 if name == "nvrtcCompileProgram" else 0

            return call

    with pytest.raises(CannotCompileError, match="the compiler failed"):
        compile_kernels(Refusing(), "sm_1")  # type: ignore[arg-type]
