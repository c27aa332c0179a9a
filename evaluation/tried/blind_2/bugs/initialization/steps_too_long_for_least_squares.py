"""Gradient descent on plain least squares with a step longer than the curvature allows: the loss grows until it overflows."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth


def make_cars(count: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Five measures of cars that go together, and what the cars consume."""
    size = torch.randn(count, 1)
    x = 0.9 * size + 0.4 * torch.randn(count, 5)
    return x, x @ torch.tensor([[0.5], [0.2], [0.1], [-0.3], [0.4]]) + 0.2 * torch.randn(count, 1)


def _train(setting: Setting) -> None:
    x, y = make_cars(300)
    model = nn.Linear(5, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05 if setting.is_fixed else 0.4)
    criterion = nn.MSELoss()
    history = []
    with setting.watch(model):
        for epoch in range(120):
            prediction = model(x)
            loss = criterion(prediction, y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            history.append(loss.item())
            if (epoch + 1) % 20 == 0:
                print(f"epoch [{epoch + 1}/120], loss {loss.item():.4g}")
    print("first", history[0], "last", history[-1])


PROGRAM = Program(
    name="steps-too-long-for-least-squares",
    train=_train,
    source="Stack Overflow, linear regression with PyTorch gives inf and nan",
    truth=Truth(rules=("diverging-loss", "runaway-growth", "updates-too-large", "oscillating-loss", "exploding-gradient", "nan-origin")),
)
