"""A network writes the weights of another that fits a family of functions."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class _HyperNetwork(nn.Module):
    def __init__(self, width: int = 16) -> None:
        super().__init__()
        self.width = width
        self.trunk = nn.Sequential(nn.Linear(2, 64), nn.ReLU())
        self.weight1 = nn.Linear(64, width)
        self.bias1 = nn.Linear(64, width)
        self.weight2 = nn.Linear(64, width)
        self.bias2 = nn.Linear(64, 1)

    def forward(self, task: Tensor, x: Tensor) -> Tensor:
        code = self.trunk(task)
        hidden = torch.tanh(x @ self.weight1(code).unsqueeze(1) + self.bias1(code).unsqueeze(1))
        return hidden @ self.weight2(code).unsqueeze(2) / self.width**0.5 + self.bias2(code).unsqueeze(1)


def _train(setting: Setting) -> None:
    model = _HyperNetwork()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for _ in range(1000):
            task = torch.rand(32, 2) * 2 - 1
            x = torch.rand(32, 12, 1) * 4 - 2
            y = task[:, :1, None] * torch.sin(2 * x) + task[:, 1:, None] * x
            loss = nn.functional.mse_loss(model(task, x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="hypernetwork", train=_train, source="Ha et al. 2017")
