"""Numbers derived from gradient flows, against values by hand and against sums over dense matrices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from comgra_export.analysis import gradient_flow
from comgra_export.analysis.gradient_flow import (
    ESTIMATES,
    chain_rule_estimate,
    flow_columns,
    residuals_of,
    sums_by_source,
    sums_by_target,
    vnittest_estimate,
)
from comgra_export.errors import MisuseError
from comgra_export.storage import PairNumbers
from comgra_export.storage.model.gradient_flows import compress_rows
from support.breadth import examples
from support.storage.strategies import pair_numbers_of

Matrix = NDArray[Any]
quick = examples(60)


def compressed(dense: Matrix) -> PairNumbers:
    """Flows `[F, N, M]` as compressed rows."""
    samples, sources, targets = dense.shape
    flat = dense.reshape(samples * sources, targets).astype(np.float32)
    rows, columns = np.nonzero(flat)
    return PairNumbers(*compress_rows(rows, columns, flat[rows, columns], samples * sources))


def dense_of(pair: PairNumbers, samples: int, sources: int, targets: int) -> Matrix:
    """The other way round, one flow after another."""
    dense = np.zeros((samples, sources, targets), np.float32)
    for row in range(samples * sources):
        for place in range(pair.starts[row], pair.starts[row + 1]):
            dense[row // sources, row % sources, pair.targets[place]] = pair.flows[place]
    return dense


def convolution() -> Matrix:
    """`[1, 16, 4]`: a 3 x 3 convolution of ones, stride 2, padding 1, of 4 x 4 to 2 x 2, with the gradients 1, 2, 3, 4 behind it."""
    dense = np.zeros((1, 16, 4))
    for target, gradient in enumerate((1, 2, 3, 4)):
        for row in range(target // 2 * 2 - 1, target // 2 * 2 + 2):
            for column in range(target % 2 * 2 - 1, target % 2 * 2 + 2):
                if 0 <= row < 4 and 0 <= column < 4:
                    dense[0, row * 4 + column, target] = gradient
    return dense


def test_the_flows_of_a_convolution_sum_to_the_gradient_of_its_input() -> None:
    pair = compressed(convolution())
    assert len(pair.flows) == 25
    assert sums_by_source(pair, 1).reshape(4, 4).tolist() == [[1, 3, 2, 2], [4, 10, 6, 6], [3, 7, 4, 4], [3, 7, 4, 4]]
    assert sums_by_target(pair, 1, 4).tolist() == [[4 * 1, 6 * 2, 6 * 3, 9 * 4]]
    assert pair.targets[pair.starts[5] : pair.starts[6]].tolist() == [0, 1, 2, 3]
    assert pair.flows[pair.starts[5] : pair.starts[6]].tolist() == [1, 2, 3, 4]
    columns = flow_columns(pair, 1, 4)
    assert np.diff(columns.starts).tolist() == [4, 6, 6, 9]
    assert columns.sources[:10].tolist() == [0, 1, 4, 5, 1, 2, 3, 5, 6, 7]


def test_what_flows_leave_of_a_gradient() -> None:
    gradients = np.array([[1, 3, 2, 2], [4, 10, 6, 6], [3, 7, 4, 4], [3, 7, 4, 4.5]]).reshape(1, 16)
    left = residuals_of(compressed(convolution()), gradients)
    assert left.dtype == np.float32
    assert left.tolist() == [[0] * 15 + [0.5]]


@quick
@given(st.integers(1, 3), st.integers(0, 5), st.integers(0, 5), st.integers(0, 2**32))
def test_columns_are_those_of_the_dense_matrix(samples: int, sources: int, targets: int, seed: int) -> None:
    pair = pair_numbers_of(np.random.default_rng(seed), samples, sources, targets, has_residuals=False)
    columns = flow_columns(pair, samples, targets)
    rows = np.repeat(np.arange(samples * sources), np.diff(pair.starts))
    entries = [(row // sources, row % sources, target, flow) for row, target, flow in zip(rows, pair.targets, pair.flows, strict=True)]

    by_column = sorted(entries, key=lambda entry: (entry[0], entry[2], entry[1]))
    assert columns.sources.tolist() == [source for _, source, _, _ in by_column]
    assert columns.flows.tobytes() == np.array([flow for *_, flow in by_column], np.float32).tobytes()
    counts = np.zeros((samples, targets), int)
    for sample, _, target, _ in entries:
        counts[sample, target] += 1
    assert np.diff(columns.starts).tolist() == counts.reshape(-1).tolist()
    assert columns.starts[0] == 0


def test_nan_is_not_skipped_in_sums() -> None:
    pair = compressed(np.array([[[1, -2, math.nan], [0, math.nan, -0.5]]]))
    np.testing.assert_array_equal(sums_by_source(pair, 1), [[math.nan, math.nan]])
    np.testing.assert_array_equal(sums_by_target(pair, 1, 3), [[1, math.nan, math.nan]])


def test_the_estimate_by_the_chain_rule_by_hand() -> None:
    # t^2 = 1, 4, 0, 4: shares 1/9, 4/9, 0, 4/9. The second sample has no gradient to share by.
    pair = chain_rule_estimate(np.array([[9, -18], [1, 2]]), np.array([[1, -2, 0, 2], [0, 0, 0, 0]]))
    np.testing.assert_allclose(dense_of(pair, 2, 2, 4), [[[1, 4, 0, 4], [-2, -8, 0, -8]], [[0, 0, 0, 0], [0, 0, 0, 0]]], rtol=1e-7)
    assert pair.residuals is not None
    np.testing.assert_allclose(pair.residuals, [[0, 0], [1, 2]], atol=1e-6)


@quick
@given(st.integers(1, 2), st.integers(1, 5), st.integers(1, 5), st.integers(0, 2**32), st.sampled_from([1e-200, 1e-30, 1.0, 1e30, 1e200]))
def test_the_estimate_by_the_chain_rule_has_the_smallest_jacobian_that_satisfies_it(
    samples: int, sources: int, targets: int, seed: int, scale: float
) -> None:
    generator = np.random.default_rng(seed)
    source, target = generator.standard_normal((samples, sources)), generator.standard_normal((samples, targets))
    dense = dense_of(chain_rule_estimate(source, target * scale), samples, sources, targets)
    for sample in range(samples):
        # The pseudoinverse solves J t = s with the smallest norm.
        jacobian = np.outer(source[sample], np.linalg.pinv(target[sample][:, None]))
        np.testing.assert_allclose(dense[sample], jacobian * target[sample], rtol=1e-5, atol=1e-7)
        np.testing.assert_allclose(dense[sample].sum(axis=1), source[sample], rtol=1e-5, atol=1e-6)


def test_the_estimate_of_vnittest_on_its_own_data() -> None:
    """Its sample: a gradient of 1 at [2, 5] of 8 x 12, and behind it ones, but -1 at [2, 7] and [3, 6]."""
    source, target = np.zeros((1, 8, 12)), np.ones((1, 8, 12))
    source[0, 2, 5] = 1
    target[0, 2, 7] = target[0, 3, 6] = -1
    pair = vnittest_estimate(source.reshape(1, 96), target.reshape(1, 96))
    assert np.flatnonzero(np.diff(pair.starts)).tolist() == [29]
    assert sorted(set(pair.flows.tolist())) == [np.float32(-1 / 96), np.float32(1 / 96)]
    assert (pair.flows > 0).sum() == 94
    assert pair.targets[pair.flows < 0].tolist() == [31, 42]
    assert sums_by_source(pair, 1)[0, 29] == pytest.approx(0.958333, abs=1e-6)


def test_the_estimate_of_vnittest_by_hand() -> None:
    # 1/t = 1, -1/2, none, 1/4: their magnitudes sum to 7/4. Sizes of s do not matter.
    pair = vnittest_estimate(np.array([[3, 0, -0.1]]), np.array([[1, -2, 0, 4]]))
    row = np.array([4, -2, 0, 1]) / 7
    np.testing.assert_allclose(dense_of(pair, 1, 3, 4), [[row, 0 * row, -row]], rtol=1e-6)
    assert len(vnittest_estimate(np.ones((1, 2)), np.zeros((1, 3))).flows) == 0
    # vnittest gives every element of the convolution that has a gradient the same.
    np.testing.assert_allclose(vnittest_estimate(np.ones((1, 16)), np.array([[1, 2, 3, 4]])).flows[:4], [0.48, 0.24, 0.16, 0.12], rtol=1e-6)


def test_estimates_of_gradients_that_are_no_numbers_have_nan_and_no_warning() -> None:
    for bad in (math.nan, math.inf):
        pair = chain_rule_estimate(np.array([[1.0, 0.0, bad]]), np.array([[1.0, bad]]))
        assert np.isnan(dense_of(pair, 1, 3, 2)[0, :, 1]).all()
        assert np.isnan(vnittest_estimate(np.array([[1.0]]), np.array([[1.0, math.nan]])).flows).any()


def test_estimates_do_not_depend_on_how_many_flows_are_made_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(3)
    source, target = generator.standard_normal((2, 7)), generator.standard_normal((2, 4))
    source[0, 2] = target[1, 3] = 0
    for estimate in ESTIMATES.values():
        at_once = estimate(source, target)
        for block in (1, 9):
            monkeypatch.setattr(gradient_flow, "_BLOCK", block)
            in_blocks = estimate(source, target)
            for name in ("starts", "targets", "flows", "residuals"):
                np.testing.assert_array_equal(getattr(in_blocks, name), getattr(at_once, name))
        monkeypatch.undo()
    assert [len(estimate(np.ones(sizes[0]), np.ones(sizes[1])).starts) for sizes in (((1, 0), (1, 3)), ((2, 3), (2, 0)))] == [1, 7]


def test_estimates_that_are_too_large_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gradient_flow, "MAX_ESTIMATED_FLOWS", 11)
    for estimate in (chain_rule_estimate, vnittest_estimate):
        with pytest.raises(MisuseError, match="from 2 to 3 elements would have 12 of them in 2 samples"):
            estimate(np.ones((2, 2)), np.ones((2, 3)))
        assert len(estimate(np.ones((1, 2)), np.ones((1, 3))).flows) == 6
