"""The largest singular values, against a full decomposition in double precision."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from comgra_export.recorder.numbers import singular_values
from comgra_export.recorder.numbers.singular_values import largest_singular_values

pytestmark = pytest.mark.usefixtures("way")

SIZE = 100


def with_spectrum(values: Tensor) -> Tensor:
    left, _ = torch.linalg.qr(torch.randn(len(values), len(values), dtype=torch.float64))
    right, _ = torch.linalg.qr(torch.randn(len(values), len(values), dtype=torch.float64))
    matrix: Tensor = (left * values) @ right.mT
    return matrix


CASES: dict[str, Callable[[], Tensor]] = {
    "tall": lambda: torch.randn(300, SIZE),
    "wide": lambda: torch.randn(SIZE, 300),
    "large": lambda: torch.randn(200, 260),
    "rank 3": lambda: torch.randn(200, 3) @ torch.randn(3, SIZE),
    "all equal": lambda: with_spectrum(torch.ones(SIZE)),
    "largest twice": lambda: with_spectrum(torch.cat([torch.ones(2), torch.rand(SIZE - 2)])),
    "largest by a hair": lambda: with_spectrum(torch.cat([torch.ones(1), torch.full((SIZE - 1,), 1 - 1e-4)])),
    "close together": lambda: with_spectrum(torch.linspace(0.99, 1, SIZE)),
    "evenly spaced": lambda: with_spectrum(torch.linspace(0, 1, SIZE)),
    "crowded at the top": lambda: with_spectrum(1 - torch.linspace(0, 1, SIZE) ** 4),
    "over many magnitudes": lambda: with_spectrum(torch.logspace(-12, 0, SIZE)),
    "ones": lambda: torch.ones(50, 70),
    "last unit vector": lambda: torch.diag(torch.eye(SIZE)[-1]),
    "diagonal": lambda: torch.diag(torch.arange(1.0, SIZE)),
    "a number": lambda: torch.tensor([[-3.0]]),
    "a row": lambda: torch.randn(1, 5000),
    "a column": lambda: torch.randn(5000, 1),
    "transposed": lambda: torch.randn(40, 90).mT,
    "zero": lambda: torch.zeros(70, 80),
    "huge": lambda: torch.randn(70, 80) * 1e36,
    "tiny": lambda: torch.randn(70, 80) * 1e-37,
}


def assert_right(names: list[str], computed: list[Tensor], matrices: list[Tensor]) -> None:
    for name, value, matrix in zip(names, computed, matrices, strict=True):
        assert (value.shape, value.dtype) == ((), matrix.dtype)
        scale = matrix.double().abs().max().item() or 1.0
        expected = torch.linalg.svdvals(matrix.double() / scale)[0].item() * scale
        assert value.item() == pytest.approx(expected, rel=1e-5, abs=0), name


@pytest.mark.parametrize("dtype", [torch.float32, pytest.param(torch.float64, marks=pytest.mark.slow)], ids=str)
@pytest.mark.parametrize("checks", [True, False], ids=["with checks", "without checks"])
def test_they_agree_with_a_decomposition(dtype: torch.dtype, checks: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not checks:
        monkeypatch.setattr(singular_values, "_eigenvalues", singular_values._eigenvalues_without_waiting)
    matrices = [make().to(dtype) for make in CASES.values()]
    # All at once, so that they are padded and iterated together; and one by one.
    assert_right(list(CASES), list(largest_singular_values(matrices)), matrices)
    assert_right(list(CASES), [largest_singular_values([matrix])[0] for matrix in matrices], matrices)


def test_beyond_the_squares_of_float64() -> None:
    matrices = [torch.randn(9, 5, dtype=torch.float64) * scale for scale in (1e-300, 1e300)]
    assert_right(["tiny", "huge"], list(largest_singular_values(matrices)), matrices)


def test_a_matrix_that_has_none_does_not_touch_the_others() -> None:
    broken = [torch.tensor([[math.nan, 1.0], [0.0, 1.0]]), torch.tensor([[math.inf, 1.0]]), torch.zeros(0, 3), torch.zeros(3, 0)]
    computed = largest_singular_values([torch.diag(torch.tensor([3.0, -7.0])), *broken, torch.tensor([[3.0, 4.0]])])
    assert computed[0].item() == pytest.approx(7, rel=1e-6)
    assert computed[-1].item() == pytest.approx(5, rel=1e-6)
    assert all(math.isnan(value.item()) for value in computed[1:-1])


def test_the_same_matrices_give_the_same_numbers_and_no_random_number_is_drawn() -> None:
    matrices = [torch.randn(60, 50), torch.randn(20, 300)]
    before = torch.get_rng_state()
    first, second = largest_singular_values(matrices), largest_singular_values(matrices)
    assert [value.item() for value in first] == [value.item() for value in second]
    assert torch.equal(torch.get_rng_state(), before)


def test_many_matrices_are_computed_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(singular_values, "_GRAM_VALUES", 2 * 32**2)
    matrices = [torch.randn(10, 20) for _ in range(7)]
    assert_right(["random"] * 7, list(largest_singular_values(matrices)), matrices)
