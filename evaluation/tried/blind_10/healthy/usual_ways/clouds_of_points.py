"""Clouds of points are classified by a network that looks at each point alone and keeps the largest of each feature."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class PointNet(nn.Module):
    def __init__(self, classes: int) -> None:
        super().__init__()
        self.points = nn.Sequential(nn.Conv1d(3, 32, 1), nn.BatchNorm1d(32), nn.ReLU(), nn.Conv1d(32, 64, 1), nn.BatchNorm1d(64), nn.ReLU())
        self.head = nn.Sequential(nn.Linear(64, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, classes))

    def forward(self, cloud: Tensor) -> Tensor:
        return self.head(self.points(cloud.transpose(1, 2)).amax(dim=2))


def clouds(count: int, points: int = 48) -> tuple[Tensor, Tensor]:
    """Spheres, cubes and rings `[N, P, 3]`."""
    labels = torch.randint(3, (count,))
    sphere = nn.functional.normalize(torch.randn(count, points, 3), dim=2)
    cube = 2 * torch.rand(count, points, 3) - 1
    cube = cube / cube.abs().amax(dim=2, keepdim=True) * 0.8
    angle = 6.2832 * torch.rand(count, points)
    ring = torch.stack([angle.cos(), angle.sin(), torch.zeros(count, points)], dim=2)
    turn = torch.linalg.qr(torch.randn(count, 3, 3))[0]
    chosen = torch.stack([sphere, cube, ring], dim=1)[torch.arange(count), labels]
    return chosen @ turn + 0.05 * torch.randn(count, points, 3), labels


def _train(setting: Setting) -> None:
    cloud, labels = clouds(1200)
    model = PointNet(3)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=6e-3, total_steps=120)
    with setting.watch(model):
        for step in range(120):
            rows = torch.randint(1200, (32,))
            loss = nn.functional.cross_entropy(model(cloud[rows]), labels[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            scheduler.step()
            if step % 30 == 29:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(name="clouds-of-points", train=_train, source="Qi et al. 2017, PointNet")
