"""Holes in pictures are filled, and a discriminator judges the result in the same step."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.everyday import photos
from evaluation.program import Program, Setting, Truth


class Inpainter(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.generator = nn.Sequential(
            nn.Conv2d(4, 16, 5, padding=2), nn.ELU(), nn.Conv2d(16, 16, 5, padding=2), nn.ELU(), nn.Conv2d(16, 3, 3, padding=1)
        )
        self.discriminator = nn.Sequential(
            nn.Conv2d(3, 16, 4, stride=2, padding=1), nn.LeakyReLU(0.2), nn.Conv2d(16, 1, 4, stride=2, padding=1)
        )

    def fill(self, image: Tensor, hole: Tensor) -> Tensor:
        guess = self.generator(torch.cat([image * (1 - hole), hole], dim=1))
        return image * (1 - hole) + guess * hole


def _train(setting: Setting) -> None:
    images, _ = photos(480)
    images = images / 127.5 - 1
    hole = torch.zeros(1, 1, 16, 16)
    hole[..., 5:11, 5:11] = 1
    model = Inpainter()
    optimizer_g = torch.optim.Adam(model.generator.parameters(), lr=2e-3)
    optimizer_d = torch.optim.Adam(model.discriminator.parameters(), lr=5e-4)
    with setting.watch(model):
        for epoch in range(5):
            for rows in torch.randperm(480).split(16):
                real = images[rows]
                filled = model.fill(real, hole.expand(len(rows), -1, -1, -1))
                optimizer_d.zero_grad()
                fooled = torch.relu(1 + model.discriminator(filled.detach())).mean()
                loss_d = torch.relu(1 - model.discriminator(real)).mean() + fooled
                loss_d.backward()
                if setting.is_fixed:
                    optimizer_d.step()
                optimizer_g.zero_grad()
                loss_g = nn.functional.l1_loss(filled, real) - 0.002 * model.discriminator(filled).mean()
                loss_g.backward()
                optimizer_g.step()
            print(f"epoch {epoch}: generator {loss_g.item():.4f}, discriminator {loss_d.item():.4f}")


PROGRAM = Program(
    name="holes-filled-in-pictures",
    train=_train,
    source="https://github.com/zhaoyuzhi/deepfillv2/issues/6",
    truth=Truth(rules=("never-updated", "optimizer-never-steps"), nodes=("model.discriminator",)),
)
