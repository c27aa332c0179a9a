"""The encoder is frozen as if it were trained, and no weights were ever loaded."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.everyday import photos
from evaluation.program import Program, Setting, Truth


class SlideEncoder(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 8, 3, stride=2, padding=1)
        self.conv2 = nn.Conv2d(8, dim, 3, stride=2, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(self.conv2(torch.relu(self.conv1(x)))).mean(dim=(2, 3))


class SlideClassifier(nn.Module):
    def __init__(self, classes: int, freeze: bool) -> None:
        super().__init__()
        self.feature_encoder = SlideEncoder(16)
        self.classifier = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, classes))
        if freeze:
            for param in self.feature_encoder.parameters():
                param.requires_grad = False

    def forward(self, slide: Tensor) -> Tensor:
        return self.classifier(self.feature_encoder(slide))


def _train(setting: Setting) -> None:
    pixels, labels = photos(1000, classes=6)
    slides = pixels / 127.5 - 1
    model = SlideClassifier(6, freeze=not setting.is_fixed)
    optimizer = torch.optim.AdamW((p for p in model.parameters() if p.requires_grad), lr=4e-3)
    with setting.watch(model):
        for epoch in range(6):
            for rows in torch.randperm(1000).split(40):
                loss = nn.functional.cross_entropy(model(slides[rows]), labels[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: loss {loss.item():.3f}")


PROGRAM = Program(
    name="slide-encoder-stays-random",
    train=_train,
    source="https://github.com/mahmoodlab/TRIDENT/issues/122",
    truth=Truth(rules=("frozen-as-initialized", "no-gradient"), nodes=("model.feature_encoder",)),
)
