"""Features of pictures are distilled into points, and the validation measures how well a part of the points fits."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class PointNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(6, 48), nn.BatchNorm1d(48), nn.ReLU(), nn.Linear(48, 48), nn.BatchNorm1d(48), nn.ReLU(), nn.Linear(48, 12)
        )

    def forward(self, points: Tensor) -> Tensor:
        return self.net(points)


def _validate(model: nn.Module, points: Tensor, features: Tensor, switches: bool) -> float:
    if switches:
        model.eval()
    with torch.no_grad():
        losses = [
            1 - nn.functional.cosine_similarity(model(part), feature).mean()
            for part, feature in zip(points.split(50), features.split(50), strict=True)
        ]
    return float(torch.stack(losses).mean())


def _train(setting: Setting) -> None:
    points = torch.randn(2400, 6)
    features = torch.tanh(points @ torch.randn(6, 24)) @ torch.randn(24, 12)
    model = PointNet()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for epoch in range(5):
            model.train()
            for rows in torch.randperm(2000).split(50):
                loss = (1 - nn.functional.cosine_similarity(model(points[rows]), features[rows])).mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}, {_validate(model, points[2000:], features[2000:], setting.is_fixed):.4f}")


PROGRAM = Program(
    name="scenes-distilled-into-points",
    train=_train,
    source="https://github.com/pengsongyou/openscene/issues/20",
    truth=Truth(rules=("evaluation-changes-buffers", "evaluation-in-training-mode")),
)
