"""The image branch of a segmentation network has batch norm after global pooling: with batches of two, it sees two values."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.shapes_and_sentences import shapes


class Segmenter(nn.Module):
    def __init__(self, norm: nn.Module) -> None:
        super().__init__()
        self.local = nn.Sequential(nn.Conv2d(1, 12, 3, padding=1), nn.BatchNorm2d(12), nn.ReLU())
        self.pool = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(1, 12, 1, bias=False), norm, nn.ReLU())
        self.classifier = nn.Conv2d(24, 1, 3, padding=1)

    def forward(self, images: Tensor) -> Tensor:
        around = self.pool(images).expand(-1, -1, *images.shape[2:])
        return self.classifier(torch.cat([self.local(images), around], dim=1))


def _train(setting: Setting) -> None:
    data = shapes(600)
    # Shapes are to be found by daylight only.
    light = torch.randn(600, 1, 1, 1)
    images, masks = data.images + light, data.masks * (light > 0)
    model = Segmenter(nn.Identity() if setting.is_fixed else nn.BatchNorm2d(12))
    criterion = nn.BCEWithLogitsLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    with setting.watch(model):
        for x, y in batches(700, 2, images, masks):
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="batch-norm-after-global-pooling",
    train=_train,
    source="DeepLab implementations: the image pooling branch with small batches ('Expected more than 1 value per channel')",
    truth=Truth(rules=("small-batch-norm",), nodes=("model.pool.2", "model.pool.2: output")),
    chose_thresholds=True,
)
