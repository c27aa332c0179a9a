"""The kernels on hostile values, against numpy in double precision."""

from __future__ import annotations

import sys
import threading

import numpy as np
import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

from comgra_export.native import Kernels, load_kernels
from comgra_export.native.kernels import _threads_of_torch

Floats = NDArray[np.float32]

matrices = arrays.arrays(
    np.float32,
    st.tuples(st.integers(1, 4), st.integers(1, 70)),
    elements=st.one_of(st.floats(width=32), st.sampled_from([0.0, -0.0, 1.0, 3e38, -3e38, 1e-45, 1000.0, 1000.001])),
    fill=st.sampled_from([0.0, 1.0, -2.5, 1e20, 1e-30]).map(np.float32),
)


@pytest.fixture(scope="module")
def kernels() -> Kernels:
    sums = load_kernels()
    if sums is None:
        pytest.skip("the package was installed without compiled kernels: there was no C compiler")
    return sums


@given(matrices)
def test_what_is_found_of_rows(kernels: Kernels, values: Floats) -> None:
    values = np.ascontiguousarray(values)
    rows, size = values.shape
    sums = np.empty((5, rows))
    zeros = kernels.read_rows(values.ctypes.data, rows, size, sums.ctypes.data)
    if not np.isfinite(values).all():
        assert zeros is None
        return
    wide = values.astype(np.float64)
    assert zeros == np.count_nonzero(wide == 0)
    assert sums[0].tolist() == wide.min(axis=1).tolist()
    assert sums[1].tolist() == wide.max(axis=1).tolist()
    magnitudes = np.abs(wide).sum(axis=1)
    # What is left of a sum whose terms cancel is as exact as the terms.
    assert (np.abs(sums[2] - wide.sum(axis=1)) <= magnitudes * 1e-6).all()
    assert sums[3] == pytest.approx(magnitudes, rel=1e-6)
    deviations = np.square(wide - wide.mean(axis=1, keepdims=True)).sum(axis=1)
    rounding = np.square(np.abs(wide).max(axis=1) * 1e-15) * size
    assert (np.abs(sums[4] - deviations) <= deviations * 2e-6 + rounding).all()


@given(matrices)
def test_aggregates_of_columns(kernels: Kernels, values: Floats) -> None:
    values = np.nan_to_num(np.ascontiguousarray(values), posinf=1, neginf=-1)
    rows, columns = values.shape
    sums = np.empty((3, columns), np.float32)
    kernels.aggregate_columns(values.ctypes.data, rows, columns, sums.ctypes.data)
    wide = values.astype(np.float64)
    largest = np.abs(wide).max(axis=0)
    assert (np.abs(sums[0] - wide.mean(axis=0)) <= largest * 1e-7 + 1e-45).all()
    assert sums[1].tolist() == largest.tolist()
    with np.errstate(over="ignore"):
        std = (wide.std(axis=0, ddof=1) if rows > 1 else np.zeros(columns)).astype(np.float32)
    assert sums[2] == pytest.approx(std, rel=1e-6, abs=float(largest.max()) * 1e-14 + 1e-45)


@given(matrices, st.booleans(), st.randoms(use_true_random=False))
def test_norms_before_and_of_the_change(kernels: Kernels, values: Floats, is_known: bool, random: np.random.Generator) -> None:
    before = np.ascontiguousarray(values.reshape(-1))
    now = before[::-1].copy() if random.random() < 0.9 else before.copy()
    sums = np.empty(2)
    kernels.measure_change(before.ctypes.data, now.ctypes.data if is_known else None, len(before), sums.ctypes.data)
    with np.errstate(invalid="ignore"):
        expected = [np.linalg.norm(before.astype(np.float64)), np.linalg.norm(now.astype(np.float64) - before) if is_known else 0.0]
    assert sums.tolist() == pytest.approx(expected, rel=1e-6, nan_ok=True)


@given(matrices, st.sampled_from([1, 2]))
@example(np.zeros((0, 3), np.float32), 1)
@example(np.array([[-np.inf, 1]], np.float32), 1)
@example(np.array([[-np.inf, -np.nan]], np.float32), 1)
@example(np.repeat(np.array([[1, -3.5]], np.float32), 70_000, axis=0), 2)
def test_the_largest_magnitude(kernels: Kernels, values: Floats, threads: int) -> None:
    values = np.ascontiguousarray(values)
    sums = kernels.largest_magnitude(values.ctypes.data, values.size, threads)
    largest = float(np.abs(values).max(initial=0))
    assert sums == pytest.approx(largest, rel=0, nan_ok=True)
    other = np.array([-1.5, 0], np.float32)
    for order in ((values, other), (other, values)):
        both = kernels.largest_magnitude_of_both(*(number for array in order for number in (array.ctypes.data, array.size)))
        assert both == pytest.approx(largest if np.isnan(largest) else max(largest, 1.5), rel=0, nan_ok=True)


@pytest.mark.parametrize("shape", [(1, 1), (3, 17), (2, 70_000), (1, 40_000), (5, 16_384)])
@pytest.mark.parametrize("stride", [1, 2, 7, 20_001])
def test_values_are_copied_while_they_are_read(kernels: Kernels, shape: tuple[int, int], stride: int) -> None:
    rows, size = shape
    values = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    values[-1, -1] = 0
    expected = values.reshape(-1)[::stride].tolist()
    taken, sums = np.full(len(expected) + 1, 5, np.float32), np.empty((5, rows))
    to = {"stride": stride, "copy": taken.ctypes.data, "threads": 2}
    assert kernels.read_rows(values.ctypes.data, rows, size, sums.ctypes.data, **to) == 1
    assert taken.tolist() == [*expected, 5]
    # What is not finite is taken too.
    values[0, 0] = np.nan
    assert kernels.read_rows(values.ctypes.data, rows, size, sums.ctypes.data, stride=stride, copy=taken.ctypes.data, threads=2) is None
    assert np.isnan(taken[0])
    assert taken.tolist()[1:] == [*expected[1:], 5]


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(1, 1), (1, 65_536), (1, 65_537), (3, 200_001), (1, 5_000_000), (5000, 100), (65_537, 2)])
def test_on_several_threads_the_numbers_are_the_same(kernels: Kernels, shape: tuple[int, int]) -> None:
    rows, size = shape
    values = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    values[values > 2] = 0
    now = values[::-1].copy()
    sums, columns, changes = [], [], []
    for threads in (1, 2, 5):
        of_rows, of_columns, norms = np.empty((5, rows)), np.empty((3, size), np.float32), np.empty(2)
        zeros = kernels.read_rows(values.ctypes.data, rows, size, of_rows.ctypes.data, threads=threads)
        assert zeros == np.count_nonzero(values == 0)
        kernels.aggregate_columns(values.ctypes.data, rows, size, of_columns.ctypes.data, threads)
        kernels.measure_change(values.ctypes.data, now.ctypes.data, values.size, norms.ctypes.data, threads)
        sums.append(of_rows)
        columns.append(of_columns.tobytes())
        changes.append(norms.tobytes())
    assert [each.tobytes() for each in sums[1:]] == [sums[0].tobytes()] * 2
    assert columns[1:] == [columns[0]] * 2
    assert changes[1:] == [changes[0]] * 2
    wide = values.astype(np.float64)
    assert sums[0][0].tolist() == wide.min(axis=1).tolist()
    assert sums[0][1].tolist() == wide.max(axis=1).tolist()
    np.testing.assert_allclose(sums[0][3], np.abs(wide).sum(axis=1), rtol=1e-6)
    np.testing.assert_allclose(sums[0][4], np.square(wide - wide.mean(axis=1, keepdims=True)).sum(axis=1), rtol=2e-6)


def test_on_several_threads_subnormal_numbers_are_what_they_are_on_this_one(kernels: Kernels) -> None:
    values, sums = np.full(1_000_000, 1e-40, np.float32), np.empty(5)

    def count_zeros() -> set[int | None]:
        return {kernels.read_rows(values.ctypes.data, 1, values.size, sums.ctypes.data, threads=3) for _ in range(20)}

    counts: list[set[int | None]] = []

    def beside() -> None:
        # The threads that help this one begin here, and are not told what comes next.
        counts.append(count_zeros())
        if torch.set_flush_denormal(True):
            counts.append(count_zeros())

    thread = threading.Thread(target=beside)
    thread.start()
    thread.join()
    assert counts == [{0}, {values.size}][: len(counts)]


@pytest.mark.parametrize("place", [0, 65_536, 199_999])
def test_a_value_that_is_not_finite_is_found_wherever_it_is(kernels: Kernels, place: int) -> None:
    values, sums = np.ones(200_000, np.float32), np.empty(5000)
    for value in (np.nan, np.inf, -np.inf):
        values[place] = value
        for rows in (1, 1000):
            assert kernels.read_rows(values.ctypes.data, rows, 200_000 // rows, sums.ctypes.data, threads=2) is None


def test_threads_of_torch_are_found_where_it_has_them(kernels: Kernels) -> None:
    if "OpenMP" not in torch.__config__.parallel_info() or sys.platform != "linux":
        pytest.skip("this torch does not compute with OpenMP")
    assert _threads_of_torch() is not None
