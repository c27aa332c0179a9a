"""`.data` is taken of the features "to save memory", so the encoder gets no gradient."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class SetClassifier(nn.Module):
    def __init__(self, is_fixed: bool) -> None:
        super().__init__()
        self.embed = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh())
        self.decide = nn.Sequential(nn.Linear(32, 24), nn.ReLU(), nn.Linear(24, 3))
        self.is_fixed = is_fixed

    def forward(self, points: Tensor) -> Tensor:
        features = self.embed(points)
        if not self.is_fixed:
            features = features.data
        return self.decide(features.amax(dim=1))


def _train(setting: Setting) -> None:
    # Clouds of 10 points around a line, a circle or a cross.
    kinds = torch.randint(3, (1500,))
    t = torch.rand(1500, 10) * 2 - 1
    line = torch.stack([t, 0.2 * t], dim=2)
    circle = torch.stack([(3.14 * t).cos(), (3.14 * t).sin()], dim=2)
    side = (torch.rand(1500, 10) < 0.5).float()
    cross = torch.stack([t * side, t * (1 - side)], dim=2)
    clouds = torch.stack([line, circle, cross])[kinds, torch.arange(1500)] + 0.1 * torch.randn(1500, 10, 2)
    model = SetClassifier(setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for x, y in batches(250, 32, clouds, kinds):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="features-through-data",
    train=_train,
    source="PyTorch forum, .data and .detach()",
    truth=Truth(
        rules=("cut-path", "no-gradient"),
        nodes=(
            "model.embed",
            "model.embed: output",
            "model.embed.3: output",
            "model.embed.0",
            "model.embed.2",
            "model.decide: input",
            "model.decide.0: input",
        ),
    ),
)
