"""The first difference of two runs."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from comgra_export.analysis.divergence.compare import first_difference, in_order_of_computation, relative_differences
from comgra_export.analysis.divergence.model import NUMBERS, Difference, Observed
from comgra_export.analysis.history.graph import StepGraph, graph_of
from comgra_export.analysis.history.series import RecordKey, TensorKey
from comgra_export.storage import ShownTensor, Structure


def key(name: str, group: str = "forward", iteration: int = 0) -> RecordKey:
    return RecordKey(group, TensorKey(name, iteration))


W, X, H, LOSS = key("w", iteration=-1), key("x"), key("h"), key("loss")
DH, DW = key("h", "gradients"), key("w", "gradients", -1)
# As a recording may have them: not in the order of computation.
KEYS = (LOSS, H, X, W, DW, DH)


def graph(_: float = 0) -> StepGraph:
    shown = [("w", -1), ("x", 0), ("h", 0), ("loss", 0)]
    tensors = tuple(ShownTensor(name, name, name, "calculated", name, iteration) for name, iteration in shown)
    return graph_of([Structure(tensors, ((0, 2), (1, 2), (2, 3)))])


def observed(numbers: NDArray[np.float64], counts: NDArray[np.int64] | None = None, keys: tuple[RecordKey, ...] = KEYS) -> Observed:
    counts = np.zeros((len(keys), 5), np.int64) if counts is None else counts
    return Observed({own: row for row, own in enumerate(keys)}, numbers, counts, ((4, 2),) * len(keys))


@pytest.fixture
def numbers() -> NDArray[np.float64]:
    return np.random.default_rng(0).normal(size=(len(KEYS), len(NUMBERS)))


def diff(left: Observed, right: Observed, tolerance: float = 0.0) -> Difference | None:
    return first_difference([(0, left, left), (7, left, right)], graph, tolerance)


def test_equal_runs_do_not_differ(numbers: NDArray[np.float64]) -> None:
    numbers[0, 3], numbers[1, 2] = np.nan, np.inf
    assert diff(observed(numbers), observed(numbers.copy())) is None


def test_the_order_is_that_of_computation() -> None:
    assert in_order_of_computation(KEYS, graph()) == [X, W, H, LOSS, DH, DW]
    assert in_order_of_computation(KEYS, StepGraph()) == [LOSS, H, X, W, DW, DH]


@pytest.mark.parametrize(("changed", "first"), [([LOSS, H, DW], H), ([LOSS, DH], LOSS), ([DW, DH], DH), ([H, W], W), ([DW], DW)])
def test_what_was_computed_first_is_named(changed: list[RecordKey], first: RecordKey, numbers: NDArray[np.float64]) -> None:
    other = numbers.copy()
    for each in changed:
        other[KEYS.index(each), 4] += 1
    difference = diff(observed(numbers), observed(other))
    assert difference is not None
    assert (difference.step, difference.key, difference.reason, difference.number) == (7, first, "numbers", NUMBERS[4])
    assert (difference.differing, difference.compared) == (len(changed), 6)
    row = KEYS.index(first)
    assert (difference.left, difference.right) == (numbers[row, 4], other[row, 4])
    scale = max(np.abs(numbers[row]).max(), np.abs(other[row]).max())
    assert difference.relative == pytest.approx(1 / scale)


def test_the_tolerance_is_relative_to_the_largest_number_of_the_tensor(numbers: NDArray[np.float64]) -> None:
    numbers[1, 0] = 1000
    other = numbers.copy()
    # A small number may be off by much, if another one of the same tensor is large.
    other[1, 5] += 0.009
    assert diff(observed(numbers), observed(other), 1e-5) is None
    assert diff(observed(numbers), observed(other), 1e-6) is not None
    other[1, 5] += 0.002
    assert diff(observed(numbers), observed(other), 1e-5) is not None


@pytest.mark.parametrize(
    ("column", "tolerance", "reason"),
    [(0, 1.0, "not finite"), (2, 1.0, "not finite"), (4, 1.0, "absent"), (3, 0.0, "zeros"), (3, 1e-9, None)],
)
def test_counts_differ(column: int, tolerance: float, reason: str | None, numbers: NDArray[np.float64]) -> None:
    counts = np.zeros((6, 5), np.int64)
    counts[1, column] = 1
    difference = diff(observed(numbers), observed(numbers, counts), tolerance)
    assert (None if difference is None else difference.reason) == reason
    if difference is not None:
        assert (difference.left, difference.right, difference.relative) == (0, 1, np.inf)


def test_shapes_differ(numbers: NDArray[np.float64]) -> None:
    other = Observed({own: row for row, own in enumerate(KEYS)}, numbers, np.zeros((6, 5), np.int64), ((4, 2),) * 5 + ((8, 2),))
    difference = diff(observed(numbers), other, 1.0)
    assert difference is not None
    assert (difference.key, difference.reason, difference.left, difference.right) == (DH, "shape", "4x2", "8x2")


def test_only_what_both_have_is_compared(numbers: NDArray[np.float64]) -> None:
    other = observed(numbers[1:][::-1], keys=KEYS[1:][::-1])
    assert diff(observed(numbers), other) is None
    assert diff(observed(numbers), observed(numbers[:0], keys=())) is None


def test_relative_differences() -> None:
    left = np.array([[1.0, np.nan, np.inf, 0.0], [0, 0, 0, 0], [1e308, 0, 0, 0], [np.nan, 1, np.inf, 2]])
    right = np.array([[3.0, np.nan, np.inf, -1.0], [0, 0, 0, 1e-300], [-1e308, 0, 0, 0], [1, np.nan, -np.inf, 2]])
    expected = np.array([[2 / 3, 0, 0, 1 / 3], [0, 0, 0, 1], [2, 0, 0, 0], [np.inf, np.inf, np.inf, 0]], np.float64)
    np.testing.assert_allclose(relative_differences(left, right), expected)
