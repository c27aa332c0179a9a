"""The rule `batch-as-sequence`."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from comgra_export.analysis.findings.model.finding import Finding, Severity
from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.findings.rules.graph.batch_as_sequence import RULE
from support.analysis.watched import recorded, train

SAMPLES, PLACES = 8, 5


class _Network(nn.Module):
    """A layer over sequences, and a head for the last place of each, or for all of them."""

    def __init__(self, layer: nn.Module, *, for_all: bool = False, transposes: bool = False, places: int = 0) -> None:
        super().__init__()
        self.layer, self.head = layer, nn.Linear(6, 3)
        self.for_all, self.transposes = for_all, transposes
        self.places = nn.Parameter(torch.randn(places, 6)) if places else None

    def forward(self, x: Tensor) -> Tensor:
        if self.places is not None:
            x = x + self.places
        if self.transposes:
            x = x.transpose(0, 1)
        result = self.layer(x, x, x)[0] if isinstance(self.layer, nn.MultiheadAttention) else self.layer(x)[0]
        if self.transposes:
            result = result.transpose(0, 1)
        scores: Tensor = self.head(result if self.for_all else result[:, -1])
        return scores


def _findings(tmp_path: Path, network: _Network, places: int = PLACES) -> list[Finding]:
    def step(_: int) -> Tensor:
        scores = network(torch.randn(SAMPLES, places, 6))
        return nn.functional.mse_loss(scores, torch.zeros_like(scores))

    return list(RULE.check(recorded(tmp_path, network, lambda _: train(network, 2, step), check=False)))


class _Viewed(nn.Module):
    """A convolution, and a layer over its places, the batch being the second dimension."""

    def __init__(self, order: str) -> None:
        super().__init__()
        self.conv, self.rnn, self.head, self.order = nn.Conv1d(2, 6, 3, padding=1), nn.GRU(6, 6), nn.Linear(6, 3), order

    def forward(self, x: Tensor) -> Tensor:
        features = self.conv(x)
        batch, channels, places = features.shape
        if self.order == "view":
            steps = features.view(places, batch, channels)
        elif self.order == "permute":
            steps = features.permute(2, 0, 1)
        elif self.order == "flat":
            steps = features.view(batch * places, channels)[None]
        else:
            steps = features.view(batch, places, channels).transpose(0, 1)
        states: Tensor = self.rnn(steps)[0]
        scores: Tensor = self.head(states.mean(0)[:batch])
        return scores


@pytest.mark.parametrize(("order", "is_named"), [("view", True), ("permute", False), ("flat", False), ("within", False)])
def test_a_view_in_place_of_a_permutation_is_named(tmp_path: Path, order: str, is_named: bool) -> None:
    """What a view leaves within a sample is another matter. If it is transposed later, its result looks like a transposition."""
    network = _Viewed(order)

    def step(_: int) -> Tensor:
        return nn.functional.cross_entropy(network(torch.randn(SAMPLES, 2, PLACES)), torch.zeros(SAMPLES, dtype=torch.long))

    findings = list(RULE.check(recorded(tmp_path, network, lambda _: train(network, 2, step), check=False)))
    expected = ("model.rnn: input", "`model.rnn: input` [5, 8, 6] is a view of `model.conv: output` [8, 6, 5]")
    assert [(finding.place.name, finding.message.split(", of which")[0]) for finding in findings] == [expected] * is_named


@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN", "MultiheadAttention"])
def test_a_layer_that_gets_the_batch_first_and_expects_the_sequence_is_named(tmp_path: Path, kind: str) -> None:
    layer = nn.MultiheadAttention(6, 2) if kind == "MultiheadAttention" else getattr(nn, kind)(6, 6)
    (finding,) = _findings(tmp_path, _Network(layer))
    assert (finding.severity, finding.step) == (Severity.BUG, 0)
    assert finding.place.name.startswith("model.layer: output")
    assert "the batch of 8 samples" in finding.message
    assert "the 5 places of a sample" in finding.message


@pytest.mark.parametrize("kind", ["LSTM", "MultiheadAttention"])
def test_a_layer_that_expects_the_batch_first_is_right(tmp_path: Path, kind: str) -> None:
    layer = nn.MultiheadAttention(6, 2, batch_first=True) if kind == "MultiheadAttention" else nn.LSTM(6, 6, batch_first=True)
    with pytest.raises(NotCheckedError, match="no recurrent layer or attention"):
        _findings(tmp_path, _Network(layer))


def test_so_is_a_network_that_puts_the_sequence_first(tmp_path: Path) -> None:
    assert _findings(tmp_path, _Network(nn.LSTM(6, 6), transposes=True)) == []


@pytest.mark.parametrize(
    ("places", "transposes", "is_named"),
    [(5, False, True), (5, True, False), (9, False, False)],
    ids=["wrong", "transposed", "more places"],
)
def test_a_vector_for_each_place_shows_which_dimension_is_the_sequence(
    tmp_path: Path, places: int, transposes: bool, is_named: bool
) -> None:
    """The script may have taken the first ones of a table for more places: then nothing is known."""
    network = _Network(nn.MultiheadAttention(6, 2), for_all=True, transposes=transposes, places=places)
    assert len(_findings(tmp_path, network, places)) == is_named


@pytest.mark.parametrize(("for_all", "places"), [(True, PLACES), (False, SAMPLES)], ids=["targets for all places", "as many places"])
def test_nothing_is_said_if_the_first_dimension_may_be_the_sequence(tmp_path: Path, for_all: bool, places: int) -> None:
    """Then inputs, results and targets all have the same two dimensions first, and either may be the batch."""
    assert _findings(tmp_path, _Network(nn.LSTM(6, 6), for_all=for_all), places) == []
