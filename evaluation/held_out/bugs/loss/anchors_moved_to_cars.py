"""Anchors are moved to cars: a map of scores, and a map of offsets, both by blocks of the same kind."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class ConvBlock(nn.Module):
    def __init__(self, inputs: int, outputs: int, activation: bool = True) -> None:
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, 3, padding=1)
        self.relu = nn.ReLU() if activation else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        return self.relu(self.conv(x))


class RPN(nn.Module):
    def __init__(self, is_fixed: bool) -> None:
        super().__init__()
        self.block1 = ConvBlock(1, 24)
        self.block2 = ConvBlock(24, 24)
        self.score = nn.Conv2d(24, 1, 1)
        self.offsets = ConvBlock(24, 2, activation=not is_fixed)

    def forward(self, grid: Tensor) -> tuple[Tensor, Tensor]:
        h = self.block2(self.block1(grid))
        return self.score(h), self.offsets(h)


def _grids(count: int) -> tuple[Tensor, Tensor, Tensor]:
    y, x = torch.meshgrid(torch.arange(12.0), torch.arange(12.0), indexing="ij")
    center = 2 + 8 * torch.rand(count, 2, 1, 1)
    dy, dx = center[:, 0] - y, center[:, 1] - x
    near = ((dy**2 + dx**2) < 4).float()
    grid = torch.exp(-(dy**2 + dx**2) / 3) + 0.1 * torch.randn(count, 12, 12)
    return grid[:, None], near[:, None], torch.stack([dy, dx], dim=1) * near[:, None]


def _train(setting: Setting) -> None:
    grids, near, offsets = _grids(640)
    model = RPN(setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for epoch in range(5):
            for rows in torch.randperm(640).split(20):
                score, moved = model(grids[rows])
                class_loss = nn.functional.binary_cross_entropy_with_logits(score, near[rows])
                reg_loss = nn.functional.smooth_l1_loss(moved, offsets[rows])
                loss = class_loss + 4 * reg_loss
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: scores {class_loss.item():.4f}, offsets {reg_loss.item():.4f}")


PROGRAM = Program(
    name="anchors-moved-to-cars",
    train=_train,
    source="https://github.com/tsinghua-rll/VoxelNet-tensorflow/issues/10",
    truth=Truth(
        rules=("target-out-of-range", "dead-relu"),
        nodes=("model.offsets", "model: output[1]", "smooth_l1_loss", "smooth_l1_loss: target"),
    ),
)
