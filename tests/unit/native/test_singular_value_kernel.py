"""The kernel for singular values, against numpy in double precision."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

from comgra_export.native import load_kernels

Floats = NDArray[np.float32]

pytestmark = pytest.mark.skipif(
    load_kernels() is None, reason="the package was installed without compiled kernels: there was no C compiler"
)


def found_of(*matrices: Floats, threads: int = 1) -> list[float]:
    kernels = load_kernels()
    assert kernels is not None
    lying = [np.ascontiguousarray(matrix) for matrix in matrices]
    addresses = np.array([matrix.ctypes.data for matrix in lying], np.uint64)
    rows, columns = (np.array([matrix.shape[side] for matrix in lying], np.int64) for side in (0, 1))
    size = 3 * int(columns.max())
    # What is beside the room must stay as it is.
    room, computed = np.full(min(threads, len(lying)) * size + 1, 5.0), np.zeros(len(lying) + 1)
    kernels.largest_singular_values(
        addresses.ctypes.data,
        rows.ctypes.data,
        columns.ctypes.data,
        len(lying),
        room=room.ctypes.data,
        room_per_thread=size,
        values=computed.ctypes.data,
        threads=threads,
    )
    assert room[-1] == 5
    assert computed[-1] == 0
    return [float(value) for value in computed[:-1]]


def expected_of(matrix: Floats) -> float:
    return float(np.linalg.svd(matrix.astype(np.float64), compute_uv=False)[0])


@pytest.mark.parametrize("shape", [(1, 1), (1, 700), (700, 1), (3, 5), (16, 16), (17, 33), (256, 64), (64, 256), (259, 1037), (1037, 259)])
@pytest.mark.parametrize("rank", [1, 3, 10_000])
def test_of_every_shape_and_rank(shape: tuple[int, int], rank: int) -> None:
    random = np.random.default_rng(0)
    rank = min(rank, *shape)
    matrix = (random.standard_normal((shape[0], rank)) @ random.standard_normal((rank, shape[1]))).astype(np.float32)
    assert found_of(matrix) == pytest.approx([expected_of(matrix)], rel=5e-6)


@given(
    arrays.arrays(
        np.float32,
        st.tuples(st.integers(1, 20), st.integers(1, 40)),
        elements=st.one_of(st.floats(width=32), st.sampled_from([0.0, 1.0, -1.0, 3e38, 1e-45, 1000.0, 1000.001])),
        fill=st.sampled_from([0.0, 1.0, -2.5, 1e20, 1e-30]).map(np.float32),
    )
)
@example(np.zeros((4, 3), np.float32))
@example(np.ones((4, 3), np.float32))
@example(np.eye(30, dtype=np.float32))
def test_it_is_right_or_not_said(matrix: Floats) -> None:
    (computed,) = found_of(matrix)
    if np.isfinite(matrix).all():
        assert math.isnan(computed) or computed == pytest.approx(expected_of(matrix), rel=1e-5)
    else:
        assert math.isnan(computed)


@given(st.integers(0, 2**32), st.integers(1, 90), st.integers(1, 90), st.floats(-11, 12))
def test_of_usual_matrices_it_is_said(seed: int, rows: int, columns: int, magnitude: float) -> None:
    matrix = (np.random.default_rng(seed).standard_normal((rows, columns)) * 10**magnitude).astype(np.float32)
    # The squares of smaller ones would be too inexact.
    assume(expected_of(matrix) > 1.1e-12)
    assert found_of(matrix) == pytest.approx([expected_of(matrix)], rel=1e-5)


def test_values_beyond_what_it_is_for_are_not_said() -> None:
    matrix = np.ones((3, 4), np.float32)
    for scale in (0, 1e-20, 1e20, math.inf, math.nan):
        assert math.isnan(*found_of(matrix * np.float32(scale))), scale


def test_where_singular_values_crowd_at_the_top() -> None:
    random = np.random.default_rng(0)
    bases = [np.linalg.qr(random.standard_normal((300, 300)))[0] for _ in range(2)]
    for spectrum in (1 - np.linspace(0, 1, 300) ** 4, np.linspace(0.999, 1, 300), np.r_[np.ones(2), random.random(298)]):
        (computed,) = found_of(((bases[0] * spectrum) @ bases[1]).astype(np.float32))
        assert math.isnan(computed) or computed == pytest.approx(spectrum.max(), rel=1e-5)


@given(st.integers(0, 2**32), st.integers(2, 90), st.integers(2, 90), st.floats(-5, -1), st.booleans())
def test_the_largest_is_not_missed_beside_many_that_are_equal(seed: int, rows: int, columns: int, step: float, is_identity: bool) -> None:
    # As weights after the first step from an orthogonal start.
    random = np.random.default_rng(seed)
    size = max(rows, columns)
    start = np.eye(size) if is_identity else np.linalg.qr(random.standard_normal((size, size)))[0]
    left, right = random.standard_normal(rows), random.standard_normal(columns)
    gradient = np.outer(left / np.linalg.norm(left), right / np.linalg.norm(right))
    matrix = (start[:rows, :columns] + 10**step * gradient).astype(np.float32)
    assert found_of(matrix) == pytest.approx([expected_of(matrix)], rel=1e-5)


@pytest.mark.parametrize("excess", [1e-3, 0.1, 10])
def test_a_single_element_that_is_larger_is_not_missed(excess: float) -> None:
    for place in range(300):
        matrix = np.eye(300, dtype=np.float32)
        matrix[place, place] += excess
        assert found_of(matrix) == pytest.approx([1 + excess], rel=1e-5), place


def test_two_eigenvalues_near_each_other_are_told_apart_in_small_matrices() -> None:
    random = np.random.default_rng(0)
    for _ in range(3000):
        size = int(random.integers(2, 9))
        vectors = np.linalg.qr(random.standard_normal((size, size)))[0]
        matrix = (vectors * np.r_[1 + 10 ** random.uniform(-4, -2), np.ones(size - 1)]).astype(np.float32) @ vectors.T.astype(np.float32)
        assert found_of(matrix) == pytest.approx([expected_of(matrix)], rel=1e-5)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_many_on_several_threads(threads: int) -> None:
    random = np.random.default_rng(0)
    matrices = [random.standard_normal((int(random.integers(1, 90)), int(random.integers(1, 90)))).astype(np.float32) for _ in range(40)]
    computed = found_of(*matrices, threads=threads)
    assert computed == found_of(*matrices)
    assert computed == pytest.approx([expected_of(matrix) for matrix in matrices], rel=1e-5)
