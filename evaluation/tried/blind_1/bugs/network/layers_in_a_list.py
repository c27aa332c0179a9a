"""The hidden layers are kept in a Python list, so the model does not know them and the optimizer never gets them."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Tower(nn.Module):
    def __init__(self, register: bool) -> None:
        super().__init__()
        self.stem = nn.Linear(2, 32)
        hidden = [nn.Linear(32, 32) for _ in range(4)]
        self.hidden = nn.ModuleList(hidden) if register else hidden
        self.out = nn.Linear(32, 1)

    def forward(self, x: Tensor) -> Tensor:
        x = torch.tanh(self.stem(x))
        for layer in self.hidden:
            x = torch.tanh(layer(x))
        return self.out(x)


def _train(setting: Setting) -> None:
    points = 2 * torch.rand(2000, 2) - 1
    heights = torch.sin(3 * points[:, :1]) * torch.cos(2 * points[:, 1:])
    model = Tower(register=setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for x, y in batches(800, 64, points, heights):
            loss = ((model(x) - y) ** 2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="layers-in-a-list",
    train=_train,
    source="PyTorch forum and documentation of nn.ModuleList: layers in a list are not registered",
    truth=Truth(rules=("unregistered-modules", "not-in-optimizer", "never-updated"), nodes=("model",)),
)
