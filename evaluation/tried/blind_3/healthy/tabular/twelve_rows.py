"""Twelve measurements, all in each step, and strong weight decay: a script for a very small experiment."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    doses = torch.linspace(-1.5, 1.5, 12)[:, None]
    responses = torch.sigmoid(3 * doses) + 0.05 * torch.randn(12, 1)
    model = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.02, weight_decay=0.05)
    with setting.watch(model):
        for step in range(250):
            # Doses are not exact.
            loss = nn.functional.mse_loss(model(doses + 0.05 * torch.randn(12, 1)), responses)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 50 == 0:
                print(step, loss.item())


PROGRAM = Program(name="twelve-rows", train=_train, source="forum questions of people with little data")
