"""Tiles of a slide are standardized within the network, each by its own mean and deviation. Many tiles show no tissue."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.everyday import outlines
from evaluation.program import Program, Setting, Truth


class ImageNormalization(nn.Module):
    def __init__(self, epsilon: float) -> None:
        super().__init__()
        self.epsilon = epsilon

    def forward(self, tile: Tensor) -> Tensor:
        centered = tile - tile.mean(dim=(2, 3), keepdim=True)
        return centered / (tile.std(dim=(2, 3), keepdim=True) + self.epsilon)


class DeepCell(nn.Module):
    def __init__(self, epsilon: float) -> None:
        super().__init__()
        self.normalize = ImageNormalization(epsilon)
        self.features = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 16, 3, padding=1), nn.ReLU())
        self.head = nn.Conv2d(16, 1, 1)

    def forward(self, tile: Tensor) -> Tensor:
        return self.head(self.features(self.normalize(tile))).squeeze(1)


def _train(setting: Setting) -> None:
    tiles, masks = outlines(480)
    tiles[::12], masks[::12] = 1.0, 0.0
    order = torch.arange(480).view(12, 40).T.flatten()
    tiles, masks = tiles[order], masks[order]
    model = DeepCell(1e-7 if setting.is_fixed else 0.0)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for epoch in range(4):
            for rows in torch.randperm(480).split(24) if epoch else torch.arange(480).split(24):
                loss = nn.functional.binary_cross_entropy_with_logits(model(tiles[rows]), masks[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="cells-in-tiles-of-a-slide",
    train=_train,
    source="https://github.com/vanvalenlab/deepcell-toolbox/issues/71",
    truth=Truth(
        rules=("nan-origin",),
        nodes=("model.normalize", "div", "model.features: input", "model.features.0: input"),
        step=0,
    ),
)
