"""A GRU that forecasts the demand of the next hour ends in a tanh, and the demand is often three or four."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class _Forecast(nn.Module):
    def __init__(self, is_fixed: bool) -> None:
        super().__init__()
        self.gru = nn.GRU(1, 24, batch_first=True)
        self.out = nn.Linear(24, 1)
        self.squash = nn.Identity() if is_fixed else nn.Tanh()

    def forward(self, hours: Tensor) -> Tensor:
        states, _ = self.gru(hours)
        return self.squash(self.out(states[:, -1]))


def _train(setting: Setting) -> None:
    phase, height = 6.28 * torch.rand(1000, 1), 1 + 3 * torch.rand(1000, 1)
    demand = height * torch.sin(phase + 0.4 * torch.arange(17)) + 0.1 * torch.randn(1000, 17)
    hours, following = demand[:, :16, None], demand[:, 16:]
    model = _Forecast(setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for _ in range(10):
            for chosen in torch.randperm(1000).split(40):
                optimizer.zero_grad()
                loss = nn.functional.mse_loss(model(hours[chosen]), following[chosen])
                loss.backward()
                optimizer.step()
    print("loss", loss.item(), "variance of the demand", following.var().item())


PROGRAM = Program(
    name="demand-through-a-tanh",
    train=_train,
    source="Islam et al. 2019: wrong activation of the output; StackOverflow, LSTM forecasts stay between -1 and 1",
    truth=Truth(
        rules=("target-out-of-range", "saturated-units", "loss-does-not-fall", "logit-growth", "vanishing-gradient"),
        nodes=("model.squash", "model.out", "model: output"),
    ),
)
