"""The bins of histograms, against the bits of the numbers and against numpy's own functions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from comgra_export.storage.arrays.histograms import (
    BIN_EDGES,
    BINS_PER_SIDE,
    NO_HISTOGRAM,
    QUANTILES,
    Histogram,
    decode_histograms,
    encode_histograms,
    histogram_of,
    merge_histograms,
    quantiles_from_bins,
)
from support.breadth import examples

Floats = NDArray[Any]
quick = examples(60)


def random_bits(seed: int, count: int, dtype: str) -> Floats:
    """Numbers of all magnitudes, with NaN, infinities, zeros of both signs and denormals among them."""
    generator = np.random.default_rng(seed)
    values: Floats = np.frombuffer(generator.bytes(count * np.dtype(dtype).itemsize), dtype).copy()
    odd = generator.random(count) < 0.2
    values[odd] = generator.choice([0.0, -0.0, np.nan, np.inf, -np.inf, 1.0, -1.0, 5e-324], odd.sum()).astype(dtype)
    return values


def by_bin(histogram: Histogram) -> dict[int, int]:
    """The counts of all nonempty bins."""
    counts = {-(histogram.first_negative + place): count for place, count in enumerate(histogram.negative.tolist())}
    counts[0] = histogram.zeros
    counts.update({histogram.first_positive + place: count for place, count in enumerate(histogram.positive.tolist())})
    return {number: count for number, count in counts.items() if count}


arrays = st.builds(random_bits, st.integers(0, 2**32), st.integers(0, 80), st.sampled_from(["<f4", "<f8"]))
parts = st.lists(st.builds(random_bits, st.integers(0, 2**32), st.integers(0, 40), st.just("<f4")), min_size=1, max_size=4)


def test_the_bins_of_numbers_that_are_looked_up_by_hand() -> None:
    # 1 is 0x3f800000, so 0x3f800000 >> 21 = 508 bins come before it, four to a power of two.
    histogram, quantiles = histogram_of(np.array([1, 1.24, 1.25, 2, -1, -3.9, 0, np.nan, np.inf, -np.inf, -np.inf], np.float32))
    assert by_bin(histogram) == {509: 2, 510: 1, 513: 1, -509: 1, -516: 1, 0: 1}
    assert (histogram.negative_infinities, histogram.positive_infinities, histogram.looked_at) == (2, 1, 11)
    # The sorted values are -inf -inf -3.9 -1 0 1 1.24 1.25 2 inf; the quantiles are at the places 0, 0, 2, 4, 6, 8 and 8.
    assert quantiles.tolist() == [-np.inf, -np.inf, np.float32(-3.9), 0, np.float32(1.24), 2, 2]


@quick
@given(seed=st.integers(0, 2**32), count=st.integers(0, 80))
def test_the_bin_of_a_float32_is_in_its_bits(seed: int, count: int) -> None:
    values = random_bits(seed, count, "<f4")
    expected: dict[int, int] = {}
    for value in values.tolist():
        if math.isfinite(value):
            magnitude = (int(np.float32(value).view(np.int32)) & 0x7FFFFFFF) >> 21
            number = 0 if value == 0 else int(math.copysign(magnitude + 1, value))
            expected[number] = expected.get(number, 0) + 1
    assert by_bin(histogram_of(values)[0]) == expected


@quick
@given(values=arrays)
def test_numpy_counts_the_same(values: Floats) -> None:
    histogram, quantiles = histogram_of(values)
    finite = values[np.isfinite(values)].astype(np.float64)
    # The last edge of `np.histogram` belongs to its bin, and what is beyond float32 to the outermost one.
    edges = np.append(BIN_EDGES[:-1], np.finfo(np.float64).max)
    edges[0] = 5e-324
    for side, first, counts in (
        (finite, histogram.first_positive, histogram.positive),
        (-finite, histogram.first_negative, histogram.negative),
    ):
        expected, _ = np.histogram(side[side > 0], edges)
        whole = np.zeros(BINS_PER_SIDE, np.int64)
        whole[first - 1 : first - 1 + len(counts)] = counts
        assert whole.tolist() == expected.tolist()
        assert not len(counts) or (counts[0] and counts[-1])
    assert histogram.zeros == (finite == 0).sum()
    assert histogram.looked_at == len(values)
    ordered = sorted(values[~np.isnan(values)].tolist())
    if ordered:
        assert quantiles.tolist() == [ordered[math.floor(quantile * (len(ordered) - 1))] for quantile in QUANTILES]
    else:
        assert np.isnan(quantiles).all()


@pytest.mark.parametrize("count", [1, 2, 101, 1000])
def test_quantiles_are_those_of_numpy(count: int) -> None:
    values = np.random.default_rng(count).standard_normal(count).astype(np.float32)
    # For these counts, numpy finds the same places: no product is a whole number that rounding could miss.
    assert histogram_of(values)[1].tolist() == [np.quantile(values, quantile, method="lower") for quantile in QUANTILES]


def test_values_from_minus_one_to_one_are_in_bins_of_both_sides() -> None:
    histogram, _ = histogram_of(np.linspace(-1, 1, 1000, dtype=np.float32))
    assert histogram.negative.tolist() == histogram.positive.tolist()
    assert histogram.negative.sum() == 500
    assert (histogram.first_negative + len(histogram.negative) - 1, histogram.first_positive + len(histogram.positive) - 1) == (509, 509)
    # From 1 / 999 to 1, in steps of 2 / 999: from 8 / 999 on, no quarter of a power of two is without one.
    assert len(histogram.positive) == 509 - (int(np.float32(1 / 999).view(np.int32)) >> 21)
    assert (histogram.positive[12:] > 0).all()


def test_gradients_of_a_tiny_scale_are_in_many_bins() -> None:
    values = np.random.default_rng(0).standard_normal(1000).astype(np.float32) * np.float32(1e-7)
    assert len(by_bin(histogram_of(values)[0])) >= 30


def test_what_float32_cannot_hold_is_in_the_outermost_and_the_innermost_bin() -> None:
    histogram, quantiles = histogram_of(np.array([1e300, -1e300, 1e-300, -5e-324, 3e38]))
    assert by_bin(histogram) == {1020: 2, -1020: 1, 1: 1, -1: 1}
    assert quantiles[3] == 1e-300
    assert histogram_of(np.array([np.finfo(np.float32).max], np.float32))[0].first_positive == BINS_PER_SIDE


def test_of_nothing_there_is_nothing() -> None:
    for values in (np.zeros((0, 3), np.float32), np.full((2, 2), np.nan)):
        histogram, quantiles = histogram_of(values)
        assert histogram.finite == 0
        assert histogram.looked_at == values.size
        assert np.isnan(quantiles).all()


@quick
@given(parts=parts)
def test_what_is_put_into_arrays_comes_out_again(parts: list[Floats]) -> None:
    histograms = [*(histogram_of(part)[0] for part in parts), NO_HISTOGRAM]
    bins, counts = encode_histograms(histograms)
    assert bins.shape == (len(histograms), 8)
    decoded = decode_histograms(bins, counts)
    assert [by_bin(histogram) for histogram in decoded] == [by_bin(histogram) for histogram in histograms]
    assert [(*histogram[:1], histogram[2], histogram[3], *histogram[5:]) for histogram in decoded] == [
        (*histogram[:1], histogram[2], histogram[3], *histogram[5:]) for histogram in histograms
    ]


@quick
@given(parts=parts)
def test_merged_histograms_are_those_of_all_values(parts: list[Floats]) -> None:
    merged = merge_histograms([histogram_of(part)[0] for part in parts])
    together = np.concatenate(parts)
    histogram, exact = histogram_of(together)
    assert by_bin(merged) == by_bin(histogram)
    assert merged[5:] == histogram[5:]
    finite = together[np.isfinite(together)]
    extrema = (float(finite.min()), float(finite.max())) if len(finite) else (np.nan, np.nan)
    for quantile, wanted in zip(quantiles_from_bins(merged, *extrema), exact, strict=True):
        if np.isfinite(wanted):
            assert extrema[0] <= quantile <= extrema[1]
            assert by_bin(histogram_of(np.array([quantile]))[0]) == by_bin(histogram_of(np.array([wanted], np.float64))[0])
        else:
            np.testing.assert_equal(quantile, wanted)
