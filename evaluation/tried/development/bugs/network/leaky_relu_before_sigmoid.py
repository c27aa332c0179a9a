"""A leaky ReLU in front of the output's sigmoid: outputs hardly go below one half."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Counter(nn.Module):
    def __init__(self, activate: bool) -> None:
        super().__init__()
        self.cell = nn.RNNCell(4, 32)
        self.out = nn.Linear(32, 4)
        self.activation = nn.LeakyReLU() if activate else nn.Identity()
        self.sigmoid = nn.Sigmoid()

    def forward(self, x: Tensor) -> Tensor:
        hidden = torch.zeros(len(x), 32)
        for position in range(x.shape[1]):
            hidden = self.cell(x[:, position], hidden)
        return self.sigmoid(self.activation(self.out(hidden)))


def _train(setting: Setting) -> None:
    bits = torch.randint(0, 2, (2000, 5, 4)).float()
    targets = bits[:, -2]
    model = Counter(activate=not setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for x, y in batches(600, 32, bits, targets):
            loss = nn.functional.binary_cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="leaky-relu-before-sigmoid",
    train=_train,
    source="the tutorial of comgra",
    truth=Truth(rules=("activation-after-activation",), nodes=("model.activation: output", "model.sigmoid: output")),
)
