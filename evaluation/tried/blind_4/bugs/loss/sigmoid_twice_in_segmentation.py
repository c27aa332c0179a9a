"""A network that marks cells ends in a sigmoid, and the loss puts another one on it."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class _Marker(nn.Module):
    def __init__(self, last: nn.Module) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 8, 3, padding=1), nn.ReLU())
        self.head = nn.Conv2d(8, 1, 1)
        self.last = last

    def forward(self, x: Tensor) -> Tensor:
        return self.last(self.head(self.body(x)))


def _slides(count: int, size: int = 20) -> tuple[Tensor, Tensor]:
    grid = torch.arange(size).float()
    row, column = torch.rand(2, count, 1, 1) * (size - 8) + 4
    radius = 2 + 3 * torch.rand(count, 1, 1)
    masks = ((grid[:, None] - row) ** 2 + (grid[None] - column) ** 2 < radius**2).float()[:, None]
    return 1.5 * masks + 0.6 * torch.randn(count, 1, size, size), masks


def _train(setting: Setting) -> None:
    slides, masks = _slides(600)
    model = _Marker(nn.Identity() if setting.is_fixed else nn.Sigmoid())
    criterion = nn.BCEWithLogitsLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for _ in range(8):
            for chosen in torch.randperm(500).split(16):
                loss = criterion(model(slides[chosen]), masks[chosen])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    with torch.no_grad():
        print("loss", criterion(model(slides[500:]), masks[500:]).item())


PROGRAM = Program(
    name="sigmoid-twice-in-segmentation",
    train=_train,
    source="PyTorch forum: segmentation with sigmoid and BCEWithLogitsLoss",
    truth=Truth(rules=("softmax-before-cross-entropy", "loss-does-not-fall", "saturated-units"), nodes=("model.last",)),
)
