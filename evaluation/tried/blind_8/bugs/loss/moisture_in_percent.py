"""Moisture is given in percent, from 5 to 60, and the network ends in a sigmoid that reaches 1 at most."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth


class SoilNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.bands = nn.Linear(14, 40)
        self.hidden = nn.Linear(40, 40)
        self.moisture = nn.Linear(40, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = torch.nn.functional.leaky_relu(self.bands(x))
        h = torch.nn.functional.leaky_relu(self.hidden(h))
        return torch.sigmoid(self.moisture(h))


def _train(setting: Setting) -> None:
    mixing = torch.randn(14, 3) / 14**0.5
    net = SoilNet()
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    unit = 100.0 if setting.is_fixed else 1.0
    with setting.watch(net):
        for step in range(200):
            bands = torch.randn(48, 14)
            percent = 5 + 55 * torch.sigmoid((bands @ mixing).tanh().sum(dim=1, keepdim=True) * 1.5)
            loss = nn.functional.l1_loss(net(bands), percent / unit)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 40 == 0:
                print(f"step {step}: off by {loss.item() * unit:.2f} percent")


PROGRAM = Program(
    name="moisture-in-percent",
    train=_train,
    source="Humbatova et al. 2020, model: wrong activation of the output; Stack Overflow, sigmoid for a regression",
    truth=Truth(
        rules=("target-out-of-range", "saturated-units", "same-for-all-samples", "predictions-ignore-input", "loss-does-not-fall"),
        nodes=("model: output", "l1_loss: target", "l1_loss", "model.moisture: output", "model.moisture"),
    ),
)
