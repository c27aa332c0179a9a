"""`nn.init.constant_` gives every filter the same weights, and equal filters get equal gradients."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting, Truth
from evaluation.series_and_tables import heartbeats


class BeatNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv1d(1, 12, 7)
        self.conv2 = nn.Conv1d(12, 12, 7)
        self.hidden = nn.Linear(12 * 7, 32)
        self.out = nn.Linear(32, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = nn.functional.max_pool1d(torch.relu(self.conv1(x)), 2)
        x = nn.functional.avg_pool1d(torch.relu(self.conv2(x)), 2)
        return self.out(torch.relu(self.hidden(x.flatten(1))))


def _train(setting: Setting) -> None:
    loader = DataLoader(TensorDataset(*heartbeats(1000)), batch_size=25, shuffle=True)
    net = BeatNet()
    constant = not setting.is_fixed
    for parameter in net.parameters():
        if constant:
            nn.init.constant_(parameter, 0.05 if parameter.dim() > 1 else 0.0)
    opt = torch.optim.Adam(net.parameters(), lr=2e-3)
    with setting.watch(net):
        for epoch in range(5):
            total = 0.0
            for x, y in loader:
                loss = nn.functional.cross_entropy(net(x), y)
                opt.zero_grad()
                loss.backward()
                opt.step()
                total += loss.item() / len(loader)
            print(f"epoch {epoch}: {total:.3f}")


PROGRAM = Program(
    name="every-filter-the-same",
    train=_train,
    source="DeepCrime, weights initialisation; CS231n notes, symmetry of weights",
    truth=Truth(
        rules=("equal-weights",),
        nodes=tuple(f"model.{name}{what}" for name in ("conv1", "conv2", "hidden", "out") for what in ("", ".weight")),
    ),
)
