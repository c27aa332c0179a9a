"""A backbone that was trained on six classes is frozen, and a new head learns three groups of these classes."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.datasets import batches, digits
from evaluation.program import Program, Setting


class Classifier(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.backbone = nn.Sequential(
            nn.Conv2d(1, 12, 3, stride=2, padding=1), nn.ReLU(), nn.Conv2d(12, 24, 3, stride=2, padding=1), nn.ReLU(), nn.Flatten()
        )
        self.head = nn.Linear(216, 6)

    def forward(self, image: Tensor) -> Tensor:
        return self.head(self.backbone(image))


def _train(setting: Setting) -> None:
    images, labels = digits()
    images = (images - images.mean()) / images.std()
    pretrained = Classifier()
    optimizer = torch.optim.Adam(pretrained.parameters(), lr=2e-3)
    for x, y in batches(120, 32, images, labels):
        loss = F.cross_entropy(pretrained(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model = Classifier()
    model.backbone.load_state_dict(pretrained.backbone.state_dict())
    model.backbone.requires_grad_(False)
    model.head = nn.Linear(216, 3)
    groups = labels % 3
    optimizer = torch.optim.Adam(model.head.parameters(), lr=2e-3)
    with setting.watch(model):
        for x, y in batches(180, 32, images, groups):
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"accuracy {(model(images).argmax(1) == groups).float().mean():.2f}")


PROGRAM = Program(name="backbone-frozen-on-purpose", train=_train, source="PyTorch tutorial on transfer learning")
