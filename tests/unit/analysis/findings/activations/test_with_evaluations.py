"""Runs whose last recorded step is an evaluation, in which operations have other names and batches other sizes."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import nn

import comgra_export


@pytest.mark.slow
def test_dead_units_are_found_although_the_run_ends_with_an_evaluation(tmp_path: Path) -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
    first = model[0]
    assert isinstance(first, nn.Linear)
    with torch.no_grad():
        first.bias[:12] = -100.0
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    with comgra_export.watch(model, tmp_path, every=1, check=False):
        for _ in range(30):
            x = torch.randn(64, 4)
            optimizer.zero_grad()
            (model(x) - x[:, :1]).square().mean().backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            model(torch.randn(200, 4))
    (report,) = comgra_export.findings(tmp_path)
    (dead,) = [finding for finding in report.findings if finding.rule == "dead-relu"]
    assert dead.place.name == "model.1: output"
    assert "dead-relu" not in report.not_checked
