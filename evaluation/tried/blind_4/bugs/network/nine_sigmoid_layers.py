"""Nine layers with sigmoids in between, as old books show them, and the gradient does not reach the first."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class _Deep(nn.Module):
    def __init__(self, activation: nn.Module, depth: int = 9, width: int = 32) -> None:
        super().__init__()
        self.inp = nn.Linear(10, width)
        self.hidden = nn.ModuleList(nn.Linear(width, width) for _ in range(depth - 2))
        self.out = nn.Linear(width, 2)
        self.activation = activation
        for layer in (self.inp, *self.hidden):
            nn.init.xavier_uniform_(layer.weight, gain=1.4 if isinstance(activation, nn.ReLU) else 1.0)

    def forward(self, x: Tensor) -> Tensor:
        x = self.activation(self.inp(x))
        for layer in self.hidden:
            x = self.activation(layer(x))
        return self.out(x)


def _train(setting: Setting) -> None:
    x = torch.randn(1500, 10)
    y = ((x[:, 0] + x[:, 1] > 0) ^ (x[:, 2] > 0)).long()
    model = _Deep(nn.ReLU() if setting.is_fixed else nn.Sigmoid())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    with setting.watch(model):
        for _ in range(14):
            for index in torch.randperm(1200).split(30):
                loss = nn.functional.cross_entropy(model(x[index]), y[index])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    with torch.no_grad():
        print("accuracy", (model(x[1200:]).argmax(1) == y[1200:]).float().mean().item())


PROGRAM = Program(
    name="nine-sigmoid-layers",
    train=_train,
    source="Zhang et al. 2021, AUTOTRAINER: vanishing gradient",
    truth=Truth(
        rules=("vanishing-gradient", "loss-does-not-fall", "predictions-ignore-input", "same-for-all-samples", "updates-too-small"),
    ),
)
