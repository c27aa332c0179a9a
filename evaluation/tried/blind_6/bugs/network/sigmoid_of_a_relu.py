"""A ReLU stands before the last sigmoid, so no probability is below one half."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Clicks(nn.Module):
    def __init__(self, *, with_relu: bool) -> None:
        super().__init__()
        self.hidden = nn.Sequential(nn.Linear(18, 48), nn.ReLU())
        self.score = nn.Linear(48, 1)
        self.relu = nn.ReLU() if with_relu else nn.Identity()
        self.sigmoid = nn.Sigmoid()

    def forward(self, visit: Tensor) -> Tensor:
        return self.sigmoid(self.relu(self.score(self.hidden(visit))))


def _train(setting: Setting) -> None:
    visits = torch.randn(2400, 18)
    clicked = (torch.tanh(visits[:, :1]) * 2 + visits[:, 1:2] + 0.3 * torch.randn(2400, 1) > 0).float()
    model = Clicks(with_relu=not setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for x, y in batches(200, 64, visits, clicked):
            loss = F.binary_cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"loss {loss.item():.2f}")


PROGRAM = Program(
    name="sigmoid-of-a-relu",
    train=_train,
    source="StackOverflow, sigmoid after relu in the last layer",
    truth=Truth(
        rules=("activation-after-activation", "dead-relu", "target-out-of-range"),
        nodes=("model.relu", "model.sigmoid", "model.sigmoid: output"),
    ),
)
