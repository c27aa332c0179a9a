"""The loop calls zero_grad and backward, and the call of step got lost when a scheduler came in."""

from __future__ import annotations

import torch
from torch import nn
from torch.optim.lr_scheduler import StepLR

from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    x = torch.rand(1500, 6)
    energy = (x[:, :1] * 4 + torch.sin(6 * x[:, 1:2]) - x[:, 2:3] * x[:, 3:4] - 2) / 1.5
    model = nn.Sequential(nn.Linear(6, 32), nn.SiLU(), nn.Linear(32, 32), nn.SiLU(), nn.Linear(32, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    scheduler = StepLR(optimizer, step_size=4, gamma=0.5)
    with setting.watch(model):
        for epoch in range(10):
            for index in torch.randperm(1500).split(32):
                optimizer.zero_grad()
                loss = nn.functional.smooth_l1_loss(model(x[index]), energy[index])
                loss.backward()
                if setting.is_fixed:
                    optimizer.step()
            scheduler.step()
            print(epoch, loss.item())


PROGRAM = Program(
    name="nobody-calls-step",
    train=_train,
    source="StackOverflow: PyTorch model does not learn, optimizer.step() is missing",
    truth=Truth(rules=("optimizer-never-steps", "never-updated", "loss-does-not-fall", "not-in-optimizer")),
)
