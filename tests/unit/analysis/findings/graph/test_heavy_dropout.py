"""The rule `heavy-dropout`."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import nn

from comgra_export.analysis.findings.model.finding import Finding
from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.findings.rules.graph.heavy_dropout import RULE
from support.analysis.watched import recorded, train


def _findings(tmp_path: Path, model: nn.Sequential) -> list[Finding]:
    run = recorded(tmp_path, model, lambda _: train(model, 2, lambda _: model(torch.randn(8, 4)).square().mean()), check=False)
    return list(RULE.check(run))


@pytest.mark.parametrize(("share", "is_named"), [(0.95, True), (0.8, True), (0.79, False)])
def test_a_dropout_that_keeps_a_fifth_or_less_is_named(tmp_path: Path, share: float, is_named: bool) -> None:
    findings = _findings(tmp_path, nn.Sequential(nn.Linear(4, 8), nn.Dropout(share), nn.Linear(8, 1)))
    assert [(finding.place.name, finding.value, finding.step) for finding in findings] == [("model.1", share, 0)] * is_named


def test_one_that_is_switched_off_is_not(tmp_path: Path) -> None:
    model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.95), nn.Linear(8, 1))
    model[1].eval()
    assert _findings(tmp_path, model) == []


def test_a_network_without_dropout_is_not_checked(tmp_path: Path) -> None:
    with pytest.raises(NotCheckedError, match="no dropout"):
        _findings(tmp_path, nn.Sequential(nn.Linear(4, 1)))
