"""Photos keep their pixels from 0 to 255, because the script has no ToTensor and no division."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting, Truth


class _Photos(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 8, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten()
        )
        self.classifier = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 5))

    def forward(self, x: Tensor) -> Tensor:
        return self.classifier(self.features(x))


def _train(setting: Setting) -> None:
    scenes = 60 + 130 * torch.rand(5, 3, 14, 14)
    labels = torch.randint(0, 5, (1000,))
    photos = (scenes[labels] + 40 * torch.randn(1000, 3, 14, 14)).clamp(0, 255).to(torch.uint8)
    images = photos.float()
    if setting.is_fixed:
        images = (images / 255 - 0.5) / 0.25
    loader = DataLoader(TensorDataset(images[:800], labels[:800]), batch_size=32, shuffle=True)
    model = _Photos()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.03, momentum=0.9)
    with setting.watch(model):
        for _ in range(10):
            for x, y in loader:
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(x), y)
                loss.backward()
                optimizer.step()
    with torch.no_grad():
        print("accuracy", (model(images[800:]).argmax(1) == labels[800:]).float().mean().item())


PROGRAM = Program(
    name="pixels-of-a-byte",
    train=_train,
    source="Schoop et al. 2021, UMLAUT: inputs not normalized; Humbatova et al. 2020, preprocessing",
    truth=Truth(
        rules=(
            "input-not-normalized", "initial-loss", "diverging-loss", "dead-relu", "loss-does-not-fall", "predictions-ignore-input",
            "same-for-all-samples", "dormant-units", "updates-too-large", "exploding-gradient",
        )
    ),
)  # fmt: skip
