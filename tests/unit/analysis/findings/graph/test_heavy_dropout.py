"""The rule `heavy-dropout`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from comgra_export.analysis.findings.model.finding import Finding
from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.findings.rules.graph.heavy_dropout import RULE
from support.analysis.watched import recorded, train


class _Last(nn.Module):
    """The last state of a recurrent network."""

    def forward(self, states: tuple[Tensor, Tensor]) -> Tensor:
        return states[0][:, -1]


def _findings(tmp_path: Path, model: nn.Sequential, *shape: int) -> list[Finding]:
    shape = shape or (8, 4)
    run = recorded(tmp_path, model, lambda _: train(model, 2, lambda _: model(torch.randn(shape)).square().mean()), check=False)
    return list(RULE.check(run))


@pytest.mark.parametrize(("share", "is_named"), [(0.95, True), (0.8, True), (0.79, False), (1e-05, False)])
def test_a_dropout_that_keeps_a_fifth_or_less_is_named(tmp_path: Path, share: float, is_named: bool) -> None:
    findings = _findings(tmp_path, nn.Sequential(nn.Linear(4, 8), nn.Dropout(share), nn.Linear(8, 1)))
    assert [(finding.place.name, finding.value, finding.step) for finding in findings] == [("model.1", share, 0)] * is_named


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU, nn.RNN])
@pytest.mark.parametrize(("share", "is_named"), [(0.8, True), (0.75, False)])
def test_so_is_a_recurrent_network_that_drops_as_much_between_its_layers(
    tmp_path: Path, kind: Callable[..., nn.Module], share: float, is_named: bool
) -> None:
    model = nn.Sequential(kind(4, 8, num_layers=2, batch_first=True, dropout=share), _Last(), nn.Linear(8, 1))
    findings = _findings(tmp_path, model, 8, 3, 4)
    assert [(finding.place.name, finding.value, finding.step) for finding in findings] == [("model.0", share, 0)] * is_named
    assert all("the values within it" in finding.message for finding in findings)


class _SelfAttention(nn.MultiheadAttention):
    """Attention of a sequence to itself, as a part of `nn.Sequential`."""

    def forward(self, x: Tensor) -> Tensor:  # type: ignore[override]
        return super().forward(x, x, x)[0]


_SelfAttention.__name__ = "MultiheadAttention"


@pytest.mark.parametrize(("share", "is_named"), [(0.8, True), (0.75, False)])
def test_so_is_an_attention(tmp_path: Path, share: float, is_named: bool) -> None:
    findings = _findings(tmp_path, nn.Sequential(_SelfAttention(4, 2, dropout=share, batch_first=True), nn.Linear(4, 1)), 8, 3, 4)
    assert [(finding.place.name, finding.value) for finding in findings] == [("model.0", share)] * is_named


@pytest.mark.filterwarnings("ignore:dropout option adds dropout")
def test_between_a_single_layer_and_nothing_it_drops_nothing(tmp_path: Path) -> None:
    model = nn.Sequential(nn.LSTM(4, 8, batch_first=True, dropout=0.9), _Last(), nn.Linear(8, 1))
    with pytest.raises(NotCheckedError, match="no dropout"):
        _findings(tmp_path, model, 8, 3, 4)


def test_one_that_is_switched_off_is_not(tmp_path: Path) -> None:
    model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.95), nn.Linear(8, 1))
    model[1].eval()
    assert _findings(tmp_path, model) == []


def test_a_network_without_dropout_is_not_checked(tmp_path: Path) -> None:
    with pytest.raises(NotCheckedError, match="no dropout"):
        _findings(tmp_path, nn.Sequential(nn.Linear(4, 1)))


class _ByFunction(nn.Module):
    """Drops values by a function, between two layers."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(4, 8), nn.Linear(8, 8)

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.second(nn.functional.dropout(self.first(x), 0.9))
        return result


def test_a_function_that_drops_as_much_hides_no_module(tmp_path: Path) -> None:
    findings = _findings(tmp_path, nn.Sequential(_ByFunction(), nn.Dropout(0.95), nn.Linear(8, 1)))
    assert [([place.name for place in finding.places], finding.value) for finding in findings] == [(["model.0"], 0.9), (["model.1"], 0.95)]


def test_an_attention_is_named_once(tmp_path: Path) -> None:
    model = nn.Sequential(_SelfAttention(4, 2, dropout=0.9, batch_first=True), nn.Dropout(0.85), nn.Linear(4, 1))
    named = [place.name for finding in _findings(tmp_path, model, 8, 3, 4) for place in finding.places]
    assert sorted(named) == ["model.0", "model.1"]
