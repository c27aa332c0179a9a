"""Counting in bins, against the numpy implementation, which has its own tests."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

from comgra_export.native import load_kernels
from comgra_export.recorder.numbers import kernels
from comgra_export.storage.arrays import histograms
from comgra_export.storage.arrays.histograms import Histogram

Floats = NDArray[np.float32]

pytestmark = pytest.mark.skipif(
    load_kernels() is None, reason="the package was installed without compiled kernels: there was no C compiler"
)

_ODD = [0.0, -0.0, np.nan, np.inf, -np.inf, 1e-45, -1e-45, 1.0, -1.0, 1.25, 3.4028234663852886e38, -3.4028234663852886e38]

# Arbitrary bits, and bits with many repetitions.
of_any_bits = arrays.arrays(np.uint32, st.integers(0, 300)).map(lambda bits: bits.view(np.float32))
of_odd_values = arrays.arrays(np.float32, st.integers(0, 300), elements=st.sampled_from(_ODD).map(np.float32))
of_one_scale = st.builds(
    lambda seed, count, scale: (np.random.default_rng(seed).standard_normal(count) * scale).astype(np.float32),
    st.integers(0, 2**32),
    st.integers(0, 5000),
    st.sampled_from([1e-42, 1e-7, 1.0, 1e30]),
)


def plain(result: tuple[Histogram, Floats]) -> tuple[list[object], list[float]]:
    histogram, quantiles = result
    counts = [part.tolist() if isinstance(part, np.ndarray) else part for part in histogram]
    # NaN is not equal to itself.
    return counts, np.nan_to_num(quantiles, nan=-1234.5).tolist()


def test_what_is_worked_out_by_hand() -> None:
    # 1 is 0x3f800000, so 0x3f800000 >> 21 = 508 bins come before it, four to a power of two.
    values = np.array([1, 1.24, 1.25, 2, -1, -3.9, 0, np.nan, np.inf, -np.inf, -np.inf], np.float32)
    histogram, quantiles = kernels.histogram_of(values)
    assert (histogram.first_positive, histogram.positive.tolist()) == (509, [2, 1, 0, 0, 1])
    assert (histogram.first_negative, histogram.negative.tolist()) == (509, [1, 0, 0, 0, 0, 0, 0, 1])
    assert (histogram.zeros, histogram.negative_infinities, histogram.positive_infinities, histogram.looked_at) == (1, 2, 1, 11)
    assert quantiles.tolist() == [-np.inf, -np.inf, np.float32(-3.9), 0, np.float32(1.24), 2, 2]


@given(st.one_of(of_any_bits, of_odd_values, of_one_scale))
@example(np.zeros(0, np.float32))
@example(np.full(3, np.nan, np.float32))
@example(np.full(3, -np.inf, np.float32))
def test_numpy_counts_the_same(values: Floats) -> None:
    assert plain(kernels.histogram_of(values)) == plain(histograms.histogram_of(values))
