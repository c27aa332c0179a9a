"""Thirty measured alloys, a network of eight units, weight decay and the whole set in each step: small but sound."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    alloys = torch.randn(60, 3)
    hardness = alloys @ torch.tensor([[0.8], [-0.5], [0.3]]) + 0.1 * torch.randn(60, 1)
    model = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, weight_decay=0.1)
    with setting.watch(model):
        for epoch in range(250):
            loss = nn.functional.mse_loss(model(alloys[:30]), hardness[:30])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if epoch % 25 == 24:
                with torch.no_grad():
                    valid = nn.functional.mse_loss(model(alloys[30:]), hardness[30:])
                print(epoch, loss.item(), valid.item())


PROGRAM = Program(
    name="thirty-alloys-by-a-small-network", train=_train, source="Full-batch training of small data, as in PyTorch's first tutorials"
)
