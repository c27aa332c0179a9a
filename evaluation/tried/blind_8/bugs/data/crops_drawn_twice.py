"""A picture and its mask should be cropped alike. Each draws a place of its own, so the masks lie anywhere."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth

SIZE, CROP = 24, 12


def lakes(count: int) -> tuple[Tensor, Tensor]:
    """Noisy maps with a round lake, and where the lake is."""
    line = torch.arange(SIZE).float()
    y, x = 4 + 16 * torch.rand(2, count, 1, 1)
    inside = ((line[None, :, None] - y) ** 2 + (line - x) ** 2 < 50).float()[:, None]
    return inside * 1.5 - 0.7 + 0.4 * torch.randn(count, 1, SIZE, SIZE), inside


def crop(pictures: Tensor, corners: Tensor) -> Tensor:
    rows = [picture[:, i : i + CROP, j : j + CROP] for picture, (i, j) in zip(pictures, corners.tolist(), strict=True)]
    return torch.stack(rows)


def _train(setting: Setting) -> None:
    maps, masks = lakes(300)
    net = nn.Sequential(
        nn.Conv2d(1, 12, 3, padding=1), nn.ReLU(), nn.Conv2d(12, 12, 3, padding=1), nn.ReLU(), nn.Conv2d(12, 1, 3, padding=1)
    )
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    with setting.watch(net):
        for step in range(180):
            chosen = torch.randint(300, (20,))
            corners = torch.randint(SIZE - CROP, (20, 2))
            of_masks = corners if setting.is_fixed else torch.randint(SIZE - CROP, (20, 2))
            loss = F.binary_cross_entropy_with_logits(net(crop(maps[chosen], corners)), crop(masks[chosen], of_masks))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 45 == 44:
                print(f"step {step}: {loss.item():.3f}")


PROGRAM = Program(
    name="crops-drawn-twice",
    train=_train,
    source="PyTorch forum, the same random transform for image and mask",
    truth=Truth(
        rules=("predictions-ignore-input", "loss-does-not-fall"),
        nodes=("binary_cross_entropy_with_logits: target", "binary_cross_entropy_with_logits", "model.4: output"),
    ),
)
