"""Land is marked in pictures with features at several rates and a feature of the whole picture. Few pictures fit in the memory."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.everyday import outlines
from evaluation.program import Program, Setting, Truth


class ASPP(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.rates = nn.ModuleList(nn.Conv2d(width, 8, 3, padding=rate, dilation=rate) for rate in (1, 2, 4))
        self.image_pool = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(width, 8, 1, bias=False), nn.BatchNorm2d(8), nn.ReLU())
        self.project = nn.Conv2d(32, 16, 1)

    def forward(self, x: Tensor) -> Tensor:
        whole = self.image_pool(x).expand(-1, -1, *x.shape[2:])
        return torch.relu(self.project(torch.cat([*(torch.relu(rate(x)) for rate in self.rates), whole], dim=1)))


class DeepLab(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(1, 16, 3, padding=1)
        self.aspp = ASPP(16)
        self.score = nn.Conv2d(16, 1, 1)

    def forward(self, image: Tensor) -> Tensor:
        return self.score(self.aspp(torch.relu(self.stem(image)))).squeeze(1)


def _train(setting: Setting) -> None:
    images, masks = outlines(640)
    batch = 16 if setting.is_fixed else 2
    model = DeepLab()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for iteration in range(180):
            rows = torch.randint(0, 640, (batch,))
            loss = nn.functional.binary_cross_entropy_with_logits(model(images[rows] - 0.4), masks[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if iteration % 45 == 44:
                print(f"{iteration}: {loss.item():.4f}")


PROGRAM = Program(
    name="land-seen-at-several-rates",
    train=_train,
    source="https://github.com/meetps/pytorch-semseg/issues/214",
    truth=Truth(
        rules=("small-batch-norm",),
        nodes=("model.aspp.image_pool.2", "model.aspp.image_pool.2: input", "model.aspp.image_pool"),
    ),
)
