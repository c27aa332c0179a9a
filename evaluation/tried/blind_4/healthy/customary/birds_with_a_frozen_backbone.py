"""A backbone that was trained on other birds is frozen, and a new head is trained on its features."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class _Birds(nn.Module):
    def __init__(self, kinds: int) -> None:
        super().__init__()
        self.backbone = nn.Sequential(
            nn.Conv2d(1, 12, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(12, 24, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten(),
        )  # fmt: skip
        self.head = nn.Linear(216, kinds)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.backbone(x))


def _fit(model: _Birds, images: Tensor, labels: Tensor, epochs: int) -> None:
    optimizer = torch.optim.Adam([parameter for parameter in model.parameters() if parameter.requires_grad], lr=2e-3)
    for _ in range(epochs):
        for index in torch.randperm(len(images)).split(30):
            loss = nn.functional.cross_entropy(model(images[index]), labels[index])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def _train(setting: Setting) -> None:
    shapes = torch.randn(14, 1, 12, 12)
    labels = torch.randint(0, 14, (1800,))
    images = shapes[labels] + 0.8 * torch.randn(1800, 1, 12, 12)
    is_known = labels < 8
    model = _Birds(8)
    _fit(model, images[is_known], labels[is_known], epochs=3)
    for parameter in model.backbone.parameters():
        parameter.requires_grad = False
    model.head = nn.Linear(216, 6)
    others, kinds = images[~is_known], labels[~is_known] - 8
    with setting.watch(model):
        _fit(model, others[:600], kinds[:600], epochs=12)
    with torch.no_grad():
        print("accuracy", (model(others[600:]).argmax(1) == kinds[600:]).float().mean().item())


PROGRAM = Program(name="birds-with-a-frozen-backbone", train=_train, source="PyTorch tutorials: transfer learning with fixed features")
