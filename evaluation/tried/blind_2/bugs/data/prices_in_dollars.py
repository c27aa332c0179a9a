"""The network predicts house prices in dollars, around 300000, with steps of Adam of 0.001: it never gets there."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    area = 60 + 120 * torch.rand(1500)
    rooms = (area / 30 + torch.rand(1500)).floor()
    age = 80 * torch.rand(1500)
    town = torch.randint(5, (1500,))
    factor = torch.tensor([0.7, 0.9, 1.0, 1.3, 1.8])[town]
    price = (1900 * area + 9000 * rooms - 700 * age) * factor + 12000 * torch.randn(1500)
    numbers = torch.stack([area, rooms, age], dim=1)
    numbers = (numbers - numbers.mean(dim=0)) / numbers.std(dim=0)
    x = torch.cat([numbers, nn.functional.one_hot(town, 5).float()], dim=1)
    y = price.unsqueeze(1)
    if setting.is_fixed:
        y = (y - y.mean()) / y.std()
    model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    criterion = nn.MSELoss()
    with setting.watch(model):
        for step, (inputs, targets) in enumerate(batches(300, 32, x, y)):
            optimizer.zero_grad()
            loss = criterion(model(inputs), targets)
            loss.backward()
            optimizer.step()
            if step % 50 == 0:
                print(f"step {step}, loss {loss.item():.4g}")


PROGRAM = Program(
    name="prices-in-dollars",
    train=_train,
    source="Stack Overflow, huge loss in regression of house prices",
    truth=Truth(rules=("loss-does-not-fall", "initial-loss", "target-out-of-range", "exploding-gradient", "predictions-ignore-input")),
)
