"""Pixels of photos get a class by a network that looks at the photos as they come from the disk."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.everyday import photos
from evaluation.program import Program, Setting, Truth


class FCN(nn.Module):
    def __init__(self, classes: int) -> None:
        super().__init__()
        self.down1 = nn.Conv2d(3, 16, 3, padding=1)
        self.down2 = nn.Conv2d(16, 32, 3, stride=2, padding=1)
        self.up = nn.ConvTranspose2d(32, 16, 2, stride=2)
        self.score = nn.Conv2d(32, classes, 1)

    def forward(self, images: Tensor) -> Tensor:
        fine = torch.relu(self.down1(images))
        coarse = torch.relu(self.down2(fine))
        return self.score(torch.cat([fine, torch.relu(self.up(coarse))], dim=1))


def _scenes(count: int) -> tuple[Tensor, Tensor]:
    images, kinds = photos(2 * count, classes=3)
    left, right = images[:count], images[count:]
    is_left = torch.arange(16) < torch.randint(4, 13, (count, 1, 1))
    scene = torch.where(is_left[:, None], left, right)
    return scene, torch.where(is_left, kinds[:count, None, None], kinds[count:, None, None]).expand(-1, 16, -1)


def _train(setting: Setting) -> None:
    images, masks = _scenes(480)
    if setting.is_fixed:
        images = (images - images.mean(dim=(0, 2, 3), keepdim=True)) / images.std(dim=(0, 2, 3), keepdim=True)
    model = FCN(3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
    with setting.watch(model):
        for epoch in range(5):
            for rows in torch.randperm(480).split(16):
                loss = nn.functional.cross_entropy(model(images[rows]), masks[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="streets-by-a-segmentation-net",
    train=_train,
    source="https://github.com/meetps/pytorch-semseg/issues/204",
    truth=Truth(rules=("input-not-normalized",), nodes=("model: input", "model: input images", "model.down1: input")),
)
