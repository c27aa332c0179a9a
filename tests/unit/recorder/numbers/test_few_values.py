"""The numbers of few values by numpy, against those by torch."""

from __future__ import annotations

import math
from itertools import product

import pytest
import torch

from comgra_export.recorder.numbers.few_values import are_few, summarize_few
from comgra_export.recorder.numbers.reference import summarize
from comgra_export.storage.model.layout import Kind


@pytest.mark.parametrize("precision", [torch.float32, torch.float64])
@pytest.mark.parametrize("kind", ["single_value", "kpis", "neuron"])
@pytest.mark.parametrize("shape", [(1, 1, 1), (2, 64, 1), (3, 5, 7), (2, 1, 40)])
def test_both_ways_agree(precision: torch.dtype, kind: Kind, shape: tuple[int, int, int]) -> None:
    for of_batch, special in product([False, True], [0.0, math.nan, math.inf, -math.inf, 1e-30, 1e30]):
        stack = torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
        stack[-1, -1, -1] = special
        pairs = zip(summarize(stack, precision, kind, of_batch), summarize_few(stack, precision, kind, of_batch), strict=True)
        for expected, actual in pairs:
            if expected is None or actual is None:
                assert expected is actual
            else:
                torch.testing.assert_close(actual, expected, equal_nan=True)


def test_classes_are_measured_exactly() -> None:
    classes = torch.tensor([0, 2, 2, 4]).reshape(1, 1, 4)
    summary = summarize_few(classes, torch.float64, "kpis", True)
    assert summary.counts.tolist() == [[0, 0, 0, 1]]
    assert summary.extrema.tolist() == [[0, 4]]
    # The squared deviations from 2 add up to 8.
    assert summary.items.reshape(4).tolist() == [2, 2, pytest.approx(math.sqrt(8 / 3)), 4]


@pytest.mark.parametrize(("shape", "expected"), [((1, 1, 4096), True), ((1, 1, 4097), False), ((1, 0, 3), False)])
def test_many_or_no_values_are_left_to_torch(shape: tuple[int, ...], expected: bool) -> None:
    assert are_few(torch.zeros(shape)) == expected
