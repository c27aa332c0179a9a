"""Distances are roots of sums of squares. From step 30 on there are padded points, whose distance is 0: its gradient is infinite."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth

POINTS = 6


class PointNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.each = nn.Sequential(nn.Linear(3, 32), nn.ReLU(), nn.Linear(32, 32))
        self.move = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 3))

    def forward(self, cloud: Tensor) -> Tensor:
        h = self.each(cloud)
        pooled = h.amax(dim=1, keepdim=True).expand_as(h)
        return cloud + self.move(torch.cat([h, pooled], dim=2))


def _train(setting: Setting) -> None:
    turn = torch.linalg.qr(torch.randn(3, 3))[0]
    net = PointNet()
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    inside = 1e-8 if setting.is_fixed else 0.0
    with setting.watch(net):
        for step in range(140):
            cloud = torch.randn(20, POINTS, 3)
            is_there = torch.ones(20, POINTS, 1)
            if step >= 30:
                is_there[::4, -1] = 0
            off = (net(cloud) - cloud @ turn) * is_there
            distance = torch.sqrt((off**2).sum(dim=2) + inside)
            loss = distance.mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 28 == 27:
                print(f"step {step}: {loss.item():.4f}")


PROGRAM = Program(
    name="root-of-padded-points",
    train=_train,
    source="PyTorch forum, the gradient of sqrt at 0 is NaN; PyTorch issues on masked values and NaN gradients",
    truth=Truth(rules=("nan-origin",), nodes=("sqrt", "add", "sum", "pow", "mul"), step=30),
)
