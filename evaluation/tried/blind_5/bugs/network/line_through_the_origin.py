"""The bias of a linear regression was switched off, and all the fares lie around eight."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    is_fixed = setting.is_fixed
    trips = torch.randn(1000, 4)
    fares = 8 + trips @ torch.tensor([[1.0], [0.5], [-0.3], [0.2]]) + 0.2 * torch.randn(1000, 1)
    model = nn.Linear(4, 1, bias=is_fixed)
    if is_fixed:
        nn.init.constant_(model.bias, fares.mean().item())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    with setting.watch(model):
        for epoch in range(8):
            for chosen in torch.randperm(1000).split(25):
                optimizer.zero_grad()
                loss = nn.functional.mse_loss(model(trips[chosen]), fares[chosen])
                loss.backward()
                optimizer.step()
            print(epoch, loss.item(), "variance", fares.var().item())


PROGRAM = Program(
    name="line-through-the-origin",
    train=_train,
    source="Humbatova et al. 2020: missing bias",
    truth=Truth(
        rules=("loss-does-not-fall", "predictions-ignore-input", "initial-loss", "target-out-of-range", "oscillating-loss"),
        nodes=("model", "model: output", "model.weight"),
    ),
)
