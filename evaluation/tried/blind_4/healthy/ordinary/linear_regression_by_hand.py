"""A single linear layer, the first program of every course."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    x = torch.randn(1000, 4)
    y = x @ torch.tensor([[2.0], [-1.0], [0.5], [3.0]]) + 1 + 0.2 * torch.randn(1000, 1)
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
    with setting.watch(model):
        for epoch in range(12):
            for index in torch.randperm(1000).split(25):
                loss = nn.functional.mse_loss(model(x[index]), y[index])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(epoch, loss.item())


PROGRAM = Program(name="linear-regression-by-hand", train=_train, source="PyTorch tutorials: learning PyTorch with examples")
