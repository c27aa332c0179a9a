"""A network for keypoints ends in a sigmoid, and the keypoints are in pixels from 0 to 16."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.shapes_and_sentences import shapes


class Locator(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 12, 3, stride=2, padding=1), nn.ReLU(), nn.Conv2d(12, 16, 3, stride=2, padding=1), nn.ReLU(), nn.Flatten()
        )
        self.fc = nn.Linear(256, 2)

    def forward(self, images: Tensor) -> Tensor:
        return torch.sigmoid(self.fc(self.features(images)))


def _train(setting: Setting) -> None:
    data = shapes(1200)
    size = 16
    pixels = (data.centers + 1) / 2 * size
    targets = pixels / size if setting.is_fixed else pixels
    model = Locator()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for x, y in batches(400, 32, data.images, targets):
            loss = nn.functional.l1_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="keypoints-in-pixels",
    train=_train,
    source="PyTorch forum, bounding boxes and keypoints with a sigmoid at the end",
    truth=Truth(rules=("target-out-of-range", "saturated-units"), nodes=("model: output",)),
)
