"""The biases of a hidden layer start at -5 instead of 0, so almost none of its ReLUs ever opens."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class _Gate(nn.Module):
    def __init__(self, bias: float) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 8, 3, padding=1)
        self.fc1 = nn.Linear(8 * 25, 32)
        self.relu = nn.ReLU()
        self.fc2 = nn.Linear(32, 5)
        nn.init.constant_(self.fc1.bias, bias)

    def forward(self, x: Tensor) -> Tensor:
        x = nn.functional.max_pool2d(torch.relu(self.conv(x)), 2)
        return self.fc2(self.relu(self.fc1(x.flatten(1))))


def _train(setting: Setting) -> None:
    signs = torch.randn(5, 1, 10, 10)
    labels = torch.randint(0, 5, (1000,))
    images = signs[labels] + 0.7 * torch.randn(1000, 1, 10, 10)
    model = _Gate(0.0 if setting.is_fixed else -5.0)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    with setting.watch(model):
        for _ in range(10):
            for index in torch.randperm(800).split(25):
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(images[index]), labels[index])
                loss.backward()
                optimizer.step()
    with torch.no_grad():
        print("accuracy", (model(images[800:]).argmax(1) == labels[800:]).float().mean().item())


PROGRAM = Program(
    name="biases-below-all-inputs",
    train=_train,
    source="Zhang et al. 2021, AUTOTRAINER: dying ReLU; Ben Braiek and Khomh 2023, TheDeepChecker",
    truth=Truth(
        rules=("dead-relu", "predictions-ignore-input", "same-for-all-samples", "zero-gradient", "loss-does-not-fall", "dormant-units"),
        nodes=("model.relu", "model.fc1"),
    ),
)
