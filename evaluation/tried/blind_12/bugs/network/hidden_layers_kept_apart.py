"""The hidden layers lie in a Python list: the optimizer gets the first and the last layer alone."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import regression_table
from evaluation.program import Program, Setting, Truth


class DynamicNet(nn.Module):
    def __init__(self, columns: int, width: int, depth: int, is_listed: bool) -> None:
        super().__init__()
        self.first = nn.Linear(columns, width)
        layers = [nn.Linear(width, width) for _ in range(depth)]
        self.layers = nn.ModuleList(layers) if is_listed else layers
        self.last = nn.Linear(width, 1)

    def forward(self, x: Tensor) -> Tensor:
        x = torch.relu(self.first(x))
        for layer in self.layers:
            x = torch.relu(layer(x))
        return self.last(x)


def _train(setting: Setting) -> None:
    x, y = regression_table(1500, features=10)
    model = DynamicNet(10, 32, 4, is_listed=setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for epoch in range(5):
            for rows in torch.randperm(1500).split(50):
                loss = nn.functional.mse_loss(model(x[rows]), y[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}, {sum(p.numel() for p in model.parameters())} parameters")


PROGRAM = Program(
    name="hidden-layers-kept-apart",
    train=_train,
    source="https://theflyingbirds.in/blog/pytorch-mysteries-lets-understand-nnmodule-nnparameter-modulelist-sequential-and-the-classic-layers-linear-activations-dropout",
    truth=Truth(rules=("unregistered-modules", "not-in-optimizer"), nodes=("model",)),
)
