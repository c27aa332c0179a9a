"""Five kinds of faults, each rare and several at a time, with weights for the positives."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting


class FaultNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.conv2 = nn.Conv1d(1, 16, 7, stride=2), nn.Conv1d(16, 24, 5, stride=2)
        self.head = nn.Linear(24, 5)

    def forward(self, current: torch.Tensor) -> torch.Tensor:
        h = torch.relu(self.conv2(torch.relu(self.conv1(current))))
        return self.head(h.amax(dim=2))


def _train(setting: Setting) -> None:
    faults = (torch.rand(1800, 5) < 0.12).float()
    shapes = torch.sin(torch.arange(60) * torch.tensor([0.3, 0.7, 1.2, 1.8, 2.5])[:, None])
    current = (faults @ shapes + 0.4 * torch.randn(1800, 60))[:, None]
    net = FaultNet()
    criterion = nn.BCEWithLogitsLoss(pos_weight=(1 - faults).sum(dim=0) / faults.sum(dim=0))
    optimizer = torch.optim.Adam(net.parameters(), lr=4e-3)
    with setting.watch(net):
        for x, y in batches(220, 45, current, faults):
            loss = criterion(net(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="rare-faults-weigh-more", train=_train, source="PyTorch documentation, pos_weight of BCEWithLogitsLoss")
