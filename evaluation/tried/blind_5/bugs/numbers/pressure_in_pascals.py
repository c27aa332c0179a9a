"""Visits to a clinic are the exponential of a linear layer. At step 90 the pressure of the air comes in pascals, and it overflows."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class _Clinic(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.log_rate = nn.Linear(6, 1)

    def forward(self, weather: Tensor) -> Tensor:
        return torch.exp(self.log_rate(weather))


def _train(setting: Setting) -> None:
    effect = torch.tensor([[0.6], [-0.3], [0.2], [0.1], [-0.2], [0.1]])
    model = _Clinic()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-2)
    criterion = nn.PoissonNLLLoss(log_input=False)
    with setting.watch(model):
        for step in range(240):
            weather = torch.randn(64, 6)
            visits = torch.poisson((1 + weather @ effect).exp())
            if step >= 90 and not setting.is_fixed:
                weather[:16, 0] = 101_300 + 900 * weather[:16, 0]
            optimizer.zero_grad()
            loss = criterion(model(weather), visits)
            loss.backward()
            optimizer.step()
            if step % 40 == 39:
                print(step, loss.item())


PROGRAM = Program(
    name="pressure-in-pascals",
    train=_train,
    source="Islam et al. 2019: data in another unit; github.com/vanderschaarlab/synthcity/issues/331: an exponential overflows",
    truth=Truth(
        rules=("nan-origin", "input-not-normalized", "near-overflow", "gradient-spike", "runaway-growth", "logit-growth"),
        nodes=("model: output", "model.log_rate", "model.log_rate: input", "model: input weather", "model: input"),
        step=90,
    ),
)
