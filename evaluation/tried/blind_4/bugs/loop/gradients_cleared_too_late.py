"""zero_grad stands between backward and step, so every step is made with gradients of zero."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    customers = torch.randn(1600, 10)
    visits = torch.poisson((0.4 * customers[:, 0] - 0.3 * customers[:, 1] + 0.5).exp())
    model = nn.Sequential(nn.Linear(10, 32), nn.LeakyReLU(), nn.Linear(32, 16), nn.LeakyReLU(), nn.Linear(16, 1))
    criterion = nn.PoissonNLLLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.03, momentum=0.9)
    is_cleared_first = setting.is_fixed
    with setting.watch(model):
        for _ in range(10):
            for index in torch.randperm(1600).split(40):
                if is_cleared_first:
                    optimizer.zero_grad()
                loss = criterion(model(customers[index]).squeeze(1), visits[index])
                loss.backward()
                if not is_cleared_first:
                    optimizer.zero_grad(set_to_none=False)
                optimizer.step()
    with torch.no_grad():
        print("loss", criterion(model(customers).squeeze(1), visits).item())


PROGRAM = Program(
    name="gradients-cleared-too-late",
    train=_train,
    source="StackOverflow: order of zero_grad, backward and step; Schoop et al. 2021, UMLAUT",
    truth=Truth(rules=("zero-gradient", "never-updated", "loss-does-not-fall", "no-gradient", "updates-too-small")),
)
