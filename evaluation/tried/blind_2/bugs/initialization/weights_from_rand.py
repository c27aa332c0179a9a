"""Weights come from `torch.rand`, all positive, so the tanh units are saturated from the first step."""

from __future__ import annotations

import itertools

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class HandMade(nn.Module):
    def __init__(self, sizes: list[int], is_fixed: bool) -> None:
        super().__init__()
        self.layers = nn.ModuleList()
        self.activations = nn.ModuleList()
        for a, b in itertools.pairwise(sizes):
            layer = nn.Linear(a, b)
            if not is_fixed:
                layer.weight = nn.Parameter(torch.rand(b, a))
            self.layers.append(layer)
            self.activations.append(nn.Tanh())
        self.out = nn.Linear(sizes[-1], 1)

    def forward(self, x: Tensor) -> Tensor:
        for layer, activation in zip(self.layers, self.activations, strict=True):
            x = activation(layer(x))
        return self.out(x)


def _train(setting: Setting) -> None:
    # Strength of concrete from eight ingredients.
    x = torch.randn(1600, 8)
    y = torch.tanh(x[:, 0] - x[:, 1]) + 0.5 * torch.sin(2 * x[:, 2]) + 0.3 * x[:, 3] * x[:, 4]
    y = ((y - y.mean()) / y.std()).unsqueeze(1)
    model = HandMade([8, 64, 64, 64], setting.is_fixed)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    with setting.watch(model):
        for inputs, targets in batches(400, 32, x, y):
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(inputs), targets)
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="weights-from-rand",
    train=_train,
    source="Stack Overflow, weights initialized with rand; TheDeepChecker (wrong initialization)",
    truth=Truth(
        rules=("saturated-units", "vanishing-gradient"),
        nodes=tuple(
            f"model.{name}.{i}{kind}" for name in ("activations", "layers") for i in range(3) for kind in (": output", "", ".weight")
        ),
    ),
)
