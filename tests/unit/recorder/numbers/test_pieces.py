"""Large tensors, read piece by piece, against the same numbers of the whole."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from comgra_export.recorder.numbers import pieces, reference
from comgra_export.recorder.numbers.buffers import Scratch
from comgra_export.recorder.numbers.cpu_statistics import read_rows
from comgra_export.recorder.numbers.parts import Summary, summarize_rows
from comgra_export.recorder.numbers.pieces import read_in_pieces
from comgra_export.recorder.numbers.reference import summarize

VALUES = {
    "one row": torch.randn(1, 5003),
    "beside its mean, tiny deviations": 1e4 + torch.randn(1, 5003),
    "many short rows": torch.randn(40, 90),
    "rows longer than a piece": torch.randn(3, 2500),
    "bf16": torch.randn(2, 1700).bfloat16(),
    "huge": torch.tensor([[1e200, -3e200] * 1200], dtype=torch.float64),
    "equal": torch.full((1, 3000), 0.1),
    "not finite": torch.cat([torch.tensor([[math.inf, 2.0], [3.0, math.nan]]), torch.randn(2, 2500)], dim=1),
    "a piece without a finite value": torch.cat([torch.full((1, 1500), math.inf), torch.ones(1, 600)], dim=1),
}


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (pieces, reference):
        monkeypatch.setattr(module, "PIECE_VALUES", 1000)


def summary_of(values: Tensor, of_batch: bool) -> Summary:
    precision = torch.float64 if values.dtype == torch.float64 else torch.float32
    return summarize(values[None], precision, "kpis", of_batch)


def assert_same(first: Summary, second: Summary) -> None:
    assert torch.equal(first.counts, second.counts)
    for numbers, others in ((first.extrema, second.extrema), (first.items, second.items), (first.over_batch, second.over_batch)):
        assert (numbers is None) == (others is None)
        if numbers is not None and others is not None:
            torch.testing.assert_close(numbers, others, rtol=1e-5, atol=1e-7, equal_nan=True)


@pytest.mark.parametrize("of_batch", [False, True])
@pytest.mark.parametrize("name", VALUES)
def test_statistics_are_those_of_the_whole(name: str, of_batch: bool, request: pytest.FixtureRequest) -> None:
    whole = summary_of(VALUES[name], of_batch)
    request.getfixturevalue("small_pieces")
    assert_same(summary_of(VALUES[name], of_batch), whole)


@pytest.mark.usefixtures("small_pieces", "way")
@pytest.mark.parametrize("name", [name for name in VALUES if name != "huge"])
def test_sums_of_rows_are_those_of_the_whole(name: str) -> None:
    values, scratch = VALUES[name], Scratch()
    sums = read_in_pieces(values, lambda piece: read_rows(piece.float().contiguous(), scratch))
    whole = read_rows(values.float(), scratch)
    assert (sums is None) == (whole is None) == ("finite" in name)
    if sums is not None and whole is not None:
        assert (sums.size, sums.zeros) == (whole.size, whole.zeros)
        assert_same(summarize_rows([sums], True), summarize_rows([whole], True))


def test_no_more_than_a_piece_is_copied_at_once(small_pieces: None, monkeypatch: pytest.MonkeyPatch) -> None:
    copied: list[int] = []
    to = Tensor.to
    monkeypatch.setattr(Tensor, "to", lambda self, *args: copied.append(self.numel()) or to(self, *args))  # type: ignore[func-returns-value]
    summarize(torch.randn(1, 4, 2600).bfloat16(), torch.float32, "kpis", True)
    assert max(copied) <= 1000
    assert sum(count for count in copied if count > 100) >= 4 * 2600
