"""A hypernetwork makes the weights of a small regressor from the parameters of a task."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting

HIDDEN = 12


class Hyper(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(2, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU())
        self.first = nn.Linear(48, HIDDEN * 2)
        self.second = nn.Linear(48, HIDDEN + 1)

    def forward(self, task: Tensor, x: Tensor) -> Tensor:
        h = self.body(task)
        weight, bias = self.first(h).view(-1, 2, 1, HIDDEN).unbind(dim=1)
        hidden = torch.tanh(2 * x * weight + bias)
        out, offset = self.second(h).split([HIDDEN, 1], dim=1)
        return hidden @ out.unsqueeze(2) + offset.unsqueeze(2)


def _train(setting: Setting) -> None:
    model = Hyper()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=6e-3, total_steps=320)
    with setting.watch(model):
        for step in range(320):
            task = torch.rand(24, 2) * 2 - 1
            x = torch.rand(24, 16, 1) * 3 - 1.5
            speed, shift = 1.5 + 0.5 * task[:, None, :1], task[:, None, 1:]
            y = torch.sin(speed * x + shift)
            loss = nn.functional.mse_loss(model(task, x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            scheduler.step()
            if step % 80 == 0:
                print(f"{step}: {loss.item():.4f}, rate {scheduler.get_last_lr()[0]:.5f}")


PROGRAM = Program(name="weights-from-a-network", train=_train, source="Ha et al. 2017 (hypernetworks), one-cycle schedule")
