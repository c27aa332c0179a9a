"""A hidden layer has a single ReLU unit, through which nine classes cannot pass."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class _Narrow(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.enter = nn.Linear(18, 40)
        self.middle = nn.Linear(40, width)
        self.leave = nn.Linear(width, 9)

    def forward(self, x: Tensor) -> Tensor:
        return self.leave(self.middle(self.enter(x).relu()).relu())


def _train(setting: Setting) -> None:
    makers = 1.5 * torch.randn(9, 18)
    labels = torch.randint(0, 9, (1500,))
    coins = makers[labels] + torch.randn(1500, 18)
    model = _Narrow(24 if setting.is_fixed else 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for _ in range(12):
            for index in torch.randperm(1200).split(30):
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(coins[index]), labels[index])
                loss.backward()
                optimizer.step()
    with torch.no_grad():
        print("accuracy", (model(coins[1200:]).argmax(1) == labels[1200:]).float().mean().item())


PROGRAM = Program(
    name="bottleneck-of-one-unit",
    train=_train,
    source="Humbatova et al. 2020, model: suboptimal number of neurons; Cao et al. 2022, DeepFD",
    truth=Truth(
        rules=(
            "one-unit-bottleneck",
            "loss-does-not-fall",
            "dead-relu",
            "dormant-units",
            "predictions-ignore-input",
            "same-for-all-samples",
        ),
        nodes=("model.middle", "model.leave"),
    ),
)
