"""The output layer has a ReLU and starts below 0 for all: the estimate stays 0, and nothing has a gradient."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class ScaleNet(nn.Module):
    def __init__(self, last: nn.Module) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 16, 1)
        self.conv2 = nn.Conv2d(16, 16, 1)
        self.conv3 = nn.Conv2d(16, 1, 1)
        assert self.conv3.bias is not None
        nn.init.constant_(self.conv3.bias, -1.5)
        self.last = last

    def forward(self, layers: Tensor) -> Tensor:
        h = torch.relu(self.conv2(torch.relu(self.conv1(layers))))
        return self.last(self.conv3(h))


def _train(setting: Setting) -> None:
    layers = torch.rand(400, 3, 8, 8)
    people = (2 * layers[:, 0] * layers[:, 1] + layers[:, 2] ** 2).sum(dim=(1, 2))
    model = ScaleNet(nn.Softplus() if setting.is_fixed else nn.ReLU())
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for epoch in range(8):
            for rows in torch.randperm(400).split(20):
                estimate = model(layers[rows]).sum(dim=(1, 2, 3))
                loss = nn.functional.l1_loss(estimate, people[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.3f}")


PROGRAM = Program(
    name="population-never-above-nought",
    train=_train,
    source="https://github.com/jvargasmu/population_estimation/issues/68",
    truth=Truth(
        rules=("dead-relu", "zero-gradient", "same-for-all-samples", "predictions-ignore-input", "loss-does-not-fall"),
        nodes=("model.last", "model.conv3", "model: output"),
    ),
)
