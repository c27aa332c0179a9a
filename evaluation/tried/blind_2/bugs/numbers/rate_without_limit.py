"""A Poisson regression takes `exp` of its output without a limit, and a row with an amount in cents overflows it."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth

ROWS, BATCH, TYPO = 3200, 20, 2245


class Claims(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.hidden = nn.Linear(6, 24)
        self.log_rate = nn.Linear(24, 1)

    def forward(self, x: Tensor) -> Tensor:
        return torch.exp(self.log_rate(torch.nn.functional.leaky_relu(self.hidden(x))))


def _train(setting: Setting) -> None:
    x = torch.randn(ROWS, 6)
    claims = torch.poisson(torch.exp(0.6 * x[:, :1] - 0.4 * x[:, 1:2] + 0.2))
    x[TYPO, 0] = 40000.0
    if setting.is_fixed:
        x = x.clamp(-5, 5)
    model = Claims()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for start in range(0, ROWS, BATCH):
            inputs, counts = x[start : start + BATCH], claims[start : start + BATCH]
            rate = model(inputs)
            loss = (rate - counts * torch.log(rate + 1e-8)).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if start % 800 == 0:
                print(start, loss.item())


PROGRAM = Program(
    name="rate-without-limit",
    train=_train,
    source="Humbatova et al. 2020 (numerical errors), overflow of exp in Poisson regression",
    truth=Truth(
        rules=("nan-origin",),
        nodes=("model: output", "model.log_rate: output", "model.log_rate"),
        step=TYPO // BATCH,
    ),
)
