"""Contrastive learning: two noisy views of a picture attract each other, and all others are pushed away."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.datasets import batches, digits
from evaluation.program import Program, Setting


class Encoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(1, 8, 3, stride=2), nn.ReLU(), nn.Conv2d(8, 16, 3, stride=2), nn.ReLU())
        self.project = nn.Sequential(nn.Flatten(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 16))

    def forward(self, views: Tensor) -> Tensor:
        return F.normalize(self.project(self.conv(views)), dim=1)


def _train(setting: Setting) -> None:
    images, _ = digits()
    images = (images - images.mean()) / images.std()
    model = Encoder()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for (x,) in batches(200, 48, images):
            views = torch.cat([x + 0.3 * torch.randn_like(x), x.roll(1, dims=3) + 0.3 * torch.randn_like(x)])
            z = model(views)
            similarity = (z @ z.T / 0.3).masked_fill(torch.eye(96, dtype=torch.bool), -1e4)
            partner = torch.arange(96).roll(48)
            loss = F.cross_entropy(similarity, partner)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"loss {loss.item():.3f}")


PROGRAM = Program(name="two-views-of-a-picture", train=_train, source="Chen et al. 2020")
