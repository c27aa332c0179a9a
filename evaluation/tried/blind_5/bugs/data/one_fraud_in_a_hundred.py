"""One payment in a hundred is a fraud. Drawn as they come, the network calls all of them honest and stays there."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    fraud = (torch.rand(4000, 1) < 0.01).float()
    payments = torch.randn(4000, 12)
    payments[:, :3] += 1.1 * fraud
    model = nn.Sequential(nn.Linear(12, 24), nn.ReLU(), nn.Linear(24, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    criterion = nn.BCEWithLogitsLoss()
    shares = torch.where(fraud[:, 0] > 0, 50.0, 1.0)
    with setting.watch(model):
        for _ in range(4):
            order = torch.multinomial(shares, 4000, replacement=True) if setting.is_fixed else torch.randperm(4000)
            for chosen in order.split(50):
                loss = criterion(model(payments[chosen]), fraud[chosen])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    with torch.no_grad():
        said = model(payments) > 0
    print("frauds found", (said & fraud.bool()).sum().item() / fraud.sum().item(), "false", (said & ~fraud.bool()).float().mean().item())


PROGRAM = Program(
    name="one-fraud-in-a-hundred",
    train=_train,
    source="Humbatova et al. 2020: unbalanced training data; PyTorch forum, the network predicts only the majority",
    truth=Truth(rules=("predictions-ignore-input", "constant-target", "same-for-all-samples", "loss-does-not-fall", "vanishing-gradient")),
)
