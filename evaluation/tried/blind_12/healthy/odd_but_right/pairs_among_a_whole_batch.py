"""Two views of a sample are to find each other among all of the batch: the batch itself is the set of classes."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting


class Views(nn.Module):
    def __init__(self, width: int = 24) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Conv2d(1, 16, 3, stride=2, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(576, 64), nn.ReLU())
        self.project = nn.Linear(64, width)

    def forward(self, image: Tensor) -> Tensor:
        return nn.functional.normalize(self.project(self.encoder(image)), dim=1)


def altered(images: Tensor) -> Tensor:
    return images * (0.7 + 0.6 * torch.rand(len(images), 1, 1, 1)) + 0.15 * torch.randn_like(images)


def _train(setting: Setting) -> None:
    images, _ = digits(2000)
    images = images - images.mean(dim=0)
    model = Views()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for epoch in range(4):
            for rows in torch.randperm(2000).split(50):
                first, second = model(altered(images[rows])), model(altered(images[rows]))
                closeness = first @ second.T / 0.2
                own = torch.arange(50)
                loss = (nn.functional.cross_entropy(closeness, own) + nn.functional.cross_entropy(closeness.T, own)) / 2
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(name="pairs-among-a-whole-batch", train=_train, source="Chen et al. 2020, contrastive learning of representations")
