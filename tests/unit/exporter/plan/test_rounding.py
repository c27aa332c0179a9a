"""Rounding to two bytes, against torch, numpy and exact arithmetic."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from comgra_export.exporter.plan.rounding import Magnitudes, half_dtype, round_to


def as_float32(bits: NDArray[np.generic]) -> NDArray[np.float32]:
    return np.asarray((bits.astype(np.uint32) << np.uint32(16)).view(np.float32))


@pytest.mark.parametrize(
    ("largest", "smallest_largest", "dtype"),
    [
        (1.0, 1.0, "F16"),
        (40_000.0, 1.0, "F16"),
        (65_000.0, 1.0, "BF16"),
        (1e30, 1.0, "BF16"),
        (1e39, 1.0, None),
        (1.0, 1e-4, "BF16"),
        (0.0, np.inf, "F16"),
    ],
)
def test_the_dtype_follows_from_the_magnitudes(largest: float, smallest_largest: float, dtype: str | None) -> None:
    assert half_dtype("F16", Magnitudes(largest, smallest_largest)) == dtype
    assert half_dtype("BF16", Magnitudes(largest, smallest_largest)) == ("BF16" if dtype else None)


def test_bfloat16_is_that_of_torch() -> None:
    values = np.random.default_rng(0).integers(0, 2**32, 200_000, np.uint64).astype(np.uint32).view(np.float32)
    values = values[np.abs(values) < 3e38]
    expected = torch.from_numpy(values).to(torch.bfloat16).float().numpy()
    assert np.array_equal(as_float32(round_to("BF16", values)), expected)


def test_float16_is_the_nearest() -> None:
    values = np.random.default_rng(0).standard_normal(10_000).astype(np.float32)
    rounded = round_to("F16", values)
    assert rounded.dtype == np.float16
    assert np.abs(rounded.astype(np.float64) - values).max() <= 2.0**-11 * np.abs(values).max()


@pytest.mark.parametrize("dtype", ["F16", "BF16"])
@pytest.mark.parametrize("source", [np.float32, np.float64])
def test_no_finite_value_becomes_infinite_and_none_but_zero_zero(dtype: str, source: type) -> None:
    values: NDArray[np.generic] = np.array(
        [0.0, -0.0, np.inf, -np.inf, np.nan, 3.4028235e38, -3.4028235e38, 70_000.0, 1e-30, -1e-30, 1e-9, 1.0], source
    )
    rounded = round_to(dtype, values)
    decoded = rounded.astype(np.float32) if dtype == "F16" else as_float32(rounded)
    assert np.array_equal(np.isfinite(decoded), np.isfinite(values))
    assert np.array_equal(np.isnan(decoded), np.isnan(values))
    assert np.array_equal(decoded == 0, values == 0)
    assert np.array_equal(np.signbit(decoded[:4]), np.signbit(values[:4]))
    assert decoded[-1] == 1.0
