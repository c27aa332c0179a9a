"""Weights of own layers are `torch.randn(in, out)`: scores are in the hundreds, and the first loss as well."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


class Dense(nn.Module):
    def __init__(self, n_in: int, n_out: int, scale: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(scale * torch.randn(n_in, n_out))
        self.bias = nn.Parameter(torch.zeros(n_out))

    def forward(self, x: Tensor) -> Tensor:
        return x @ self.weight + self.bias


def _train(setting: Setting) -> None:
    images, labels = digits(1500)
    x = (images.flatten(1) - images.mean()) / images.std()

    def scale(n_in: int) -> float:
        return (2 / n_in) ** 0.5 if small else 1.0

    small = setting.is_fixed
    net = nn.Sequential(Dense(144, 128, scale(144)), nn.Tanh(), Dense(128, 128, scale(128)), nn.Tanh(), Dense(128, 6, scale(128)))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.02)
    with setting.watch(net):
        for epoch in range(6):
            for i, rows in enumerate(torch.randperm(1500).split(50)):
                logits = net(x[rows])
                loss = nn.functional.cross_entropy(logits, labels[rows])
                if i % 15 == 0:
                    print(f"epoch {epoch}, batch {i}: loss {loss.item():.3f}")
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


PROGRAM = Program(
    name="drawn-from-a-unit-normal",
    train=_train,
    source="Stack Overflow and fast.ai forum, networks from scratch with torch.randn(n_in, n_out) as weights: a huge loss, saturated tanh",
    truth=Truth(
        rules=("saturated-units", "initial-loss"),
        nodes=("model.0", "model.0.weight", "model.1: output", "model.2", "model.3: output", "model.4"),
    ),
)
