"""The rule `updates-too-small` on watched scripts: usual schedules are in order, and a rate that is 1000 times too small is not."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import nn

import comgra_export
from comgra_export.analysis.findings.model.finding import Finding
from comgra_export.analysis.findings.rules.gradients.updates_too_small import RULE
from comgra_export.analysis.history.run import read_runs

pytestmark = pytest.mark.slow

STEPS = 160

SCHEDULES: dict[str, Callable[[int], float]] = {
    "constant": lambda _: 1.0,
    "cosine": lambda step: 0.5 * (1 + math.cos(math.pi * step / STEPS)),
    "warm-up": lambda step: min(1.0, step / 25),
    "warm-up and decay": lambda step: min(step / 30, (STEPS - step) / (STEPS - 30)),
    "steps": lambda step: 0.1 ** (step // 55),
    "an end at 0": lambda step: max(0.0, 1 - step / 140),
}


def _check(folder: Path, rate: float, schedule: Callable[[int], float]) -> list[Finding]:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1))
    optimizer = torch.optim.Adam(model.parameters(), rate)
    schedules = torch.optim.lr_scheduler.LambdaLR(optimizer, schedule)
    with comgra_export.watch(model, folder, check=False):
        for _ in range(STEPS):
            x = torch.randn(32, 8)
            # A part of the target is noise, so that the loss does not fall to nothing.
            loss = nn.functional.mse_loss(model(x), torch.sin(x.sum(1, keepdim=True)) + torch.randn(32, 1))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedules.step()
    (run,) = read_runs(folder)
    return list(RULE.check(run))


@pytest.mark.parametrize("name", SCHEDULES)
def test_a_usual_schedule_is_in_order(tmp_path: Path, name: str) -> None:
    assert _check(tmp_path, 3e-3, SCHEDULES[name]) == []


@pytest.mark.parametrize("name", ["constant", "cosine", "warm-up"])
def test_a_rate_that_is_a_thousand_times_too_small_is_named(tmp_path: Path, name: str) -> None:
    (finding,) = _check(tmp_path, 3e-6, SCHEDULES[name])
    assert "weights" in finding.message
    assert finding.limit is not None
    assert finding.value is not None
    assert finding.value < finding.limit


def test_a_schedule_that_ends_long_before_the_training_is_named(tmp_path: Path) -> None:
    (finding,) = _check(tmp_path, 3e-3, lambda step: max(0.0, 1 - step / 30))
    assert finding.step is not None
    assert 30 <= finding.step <= 37
