"""Segmentation: masks of 0 and 1 are divided by 255 as integers, so there is nothing to segment."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


def make_pictures(count: int) -> tuple[Tensor, Tensor]:
    rows = torch.arange(16)
    centers = torch.randint(4, 12, (count, 2))
    radius = torch.randint(2, 5, (count, 1, 1))
    distance = (rows[None, :, None] - centers[:, :1, None]).square() + (rows[None, None, :] - centers[:, 1:, None]).square()
    masks = (distance < radius.square()).to(torch.uint8)[:, None]
    return masks * 1.2 - 0.3 + 0.4 * torch.randn(count, 1, 16, 16), masks


def _train(setting: Setting) -> None:
    pictures, masks = make_pictures(600)
    if not setting.is_fixed:
        masks = masks // 255
    model = nn.Sequential(
        nn.Conv2d(1, 12, 3, padding=1), nn.BatchNorm2d(12), nn.ReLU(), nn.Conv2d(12, 12, 3, padding=1), nn.ReLU(), nn.Conv2d(12, 1, 1)
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for x, y in batches(120, 16, pictures, masks):
            loss = F.binary_cross_entropy_with_logits(model(x), y.float())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"pixels predicted {(model(pictures) > 0).float().mean():.3f}")


PROGRAM = Program(
    name="masks-divided-twice",
    train=_train,
    source="PyTorch forum, U-Net that predicts an empty mask",
    truth=Truth(
        rules=("constant-target", "predictions-ignore-input"),
        nodes=("binary_cross_entropy_with_logits: target", "binary_cross_entropy_with_logits", "model.5: output"),
    ),
)
