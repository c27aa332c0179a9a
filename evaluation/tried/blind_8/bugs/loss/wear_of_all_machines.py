"""Predictions have a column and targets have none, so the wear of each machine is compared with that of all others."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.series_and_tables import machines


class ConvWear(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv1d(2, 16, 5)
        self.conv2 = nn.Conv1d(16, 16, 5)
        self.fc = nn.Linear(16, 1)

    def forward(self, x: Tensor) -> Tensor:
        h = torch.relu(self.conv2(torch.relu(self.conv1(x.transpose(1, 2)))))
        return self.fc(h.mean(dim=2))


def _train(setting: Setting) -> None:
    vibration, wear = machines(1400)
    wear = wear.squeeze(1)
    net = ConvWear()
    optimizer = torch.optim.Adam(net.parameters(), lr=4e-3)
    with setting.watch(net):
        for x, y in batches(220, 35, vibration, wear):
            guess = net(x)
            if setting.is_fixed:
                guess = guess.squeeze(1)
            loss = ((guess - y) ** 2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"error {(net(vibration).squeeze(1) - wear).pow(2).mean():.4f}")


PROGRAM = Program(
    name="wear-of-all-machines",
    train=_train,
    source="PyTorch forum, a target size that is different to the input size",
    truth=Truth(
        rules=("broadcast-in-loss", "predictions-ignore-input", "loss-does-not-fall", "same-for-all-samples"),
        nodes=("sub", "pow", "mean", "model.fc: output", "model.fc"),
    ),
)
