"""A sensor was replaced in step 90. The new one reports in milligrams instead of grams, so its targets are 1,000 times as large."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth

REPLACED = 90


class Dust(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weather = nn.Linear(9, 48)
        self.mixed = nn.Linear(48, 48)
        self.grams = nn.Linear(48, 1)

    def forward(self, weather: Tensor) -> Tensor:
        return self.grams(torch.tanh(self.mixed(torch.tanh(self.weather(weather)))))


def _train(setting: Setting) -> None:
    wind = torch.randn(9, 1) / 3
    net = Dust()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    unit = 1 if setting.is_fixed else 1000
    with setting.watch(net):
        for hour in range(220):
            weather = torch.randn(32, 9)
            dust = torch.sin(weather @ wind) + 0.05 * torch.randn(32, 1)
            if hour >= REPLACED:
                dust[:4] *= unit
            loss = nn.functional.huber_loss(net(weather), dust)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="another-unit-since-monday",
    train=_train,
    source="Islam et al. 2019, data bugs: another unit or type",
    truth=Truth(
        rules=("diverging-loss", "gradient-spike", "target-out-of-range", "exploding-gradient"),
        nodes=("huber_loss: target", "huber_loss"),
        step=REPLACED,
    ),
)
