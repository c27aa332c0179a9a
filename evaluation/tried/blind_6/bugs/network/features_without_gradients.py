"""The features are computed under `no_grad`, left over from a test with a pretrained encoder. This encoder is new."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.datasets import batches, digits
from evaluation.program import Program, Setting, Truth


class Detector(nn.Module):
    def __init__(self, *, train_encoder: bool) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Conv2d(1, 8, 3, stride=2), nn.ReLU(), nn.Conv2d(8, 8, 3, stride=2), nn.ReLU(), nn.Flatten())
        self.head = nn.Linear(32, 6)
        self.train_encoder = train_encoder

    def forward(self, image: Tensor) -> Tensor:
        with torch.set_grad_enabled(self.train_encoder):
            features = self.encoder(image)
        return self.head(features)


def _train(setting: Setting) -> None:
    images, labels = digits()
    images = (images - images.mean()) / images.std()
    model = Detector(train_encoder=setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for x, y in batches(220, 32, images, labels):
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"accuracy {(model(images).argmax(1) == labels).float().mean():.2f}")


PROGRAM = Program(
    name="features-without-gradients",
    train=_train,
    source="StackOverflow, parameters without gradients after torch.no_grad in forward",
    truth=Truth(
        rules=("no-gradient", "cut-path", "frozen-as-initialized"),
        nodes=(
            "model.encoder",
            "model.encoder.0",
            "model.encoder.2",
            "model.encoder.0.weight",
            "model.encoder.2.weight",
            "model.encoder.0.bias",
            "model.encoder.2.bias",
            "model.encoder.4",
        ),
    ),
)
