"""False triggers of sentinels are counted."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from evaluation.program import Program, Setting
from evaluation.triggers import Count, count_triggers, table

STEPS, SPIKE = 60, 40


def _program(spikes: bool) -> Program:
    def train(setting: Setting) -> None:
        model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        with setting.watch(model):
            for step in range(STEPS):
                x = torch.randn(16, 4).clamp(-2, 2) * (1000 if spikes and step == SPIKE else 1)
                optimizer.zero_grad()
                nn.functional.mse_loss(model(x), torch.zeros(16, 1)).backward()
                optimizer.step()

    return Program("small", train, "this test")


@pytest.mark.parametrize("spikes", [False, True])
def test_every_step_is_checked_and_a_spike_is_a_trigger(spikes: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evaluation.triggers.collect_programs", lambda _: (_program(spikes),))
    program, steps, reasons = count_triggers("small")
    assert (program, steps, len(reasons)) == ("small", STEPS, int(spikes))
    assert all(reason.startswith("the largest magnitude of 'model: input' is ") for reason in reasons), reasons


def test_the_table_adds_up_and_names_the_programs() -> None:
    text = table([Count("calm", 700, ()), Count("wild", 300, ("a NaN", "a spike"))])
    assert "| 1,000 | 2 | 2.00 | 1 of 2 |" in text
    assert "| wild | 300 | a NaN<br>a spike |" in text
    assert "calm" not in text
