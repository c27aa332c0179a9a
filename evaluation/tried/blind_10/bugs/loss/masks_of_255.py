"""Masks are read from pictures, in which the object is 255. The cross entropy of two classes has no lower limit then."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting, Truth
from evaluation.shapes_and_sentences import shapes


class Mask(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Sequential(nn.Conv2d(1, 12, 3, padding=1), nn.ReLU(), nn.Conv2d(12, 12, 3, padding=1), nn.ReLU())
        self.last = nn.Conv2d(12, 1, 1)

    def forward(self, picture: Tensor) -> Tensor:
        return self.last(self.inner(picture))


def _train(setting: Setting) -> None:
    data = shapes(800)
    masks = (255 * data.masks).byte().float()
    if setting.is_fixed:
        masks /= 255
    loader = DataLoader(TensorDataset(data.images, masks), batch_size=20, shuffle=True)
    model = Mask()
    criterion = nn.BCEWithLogitsLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for epoch in range(3):
            for picture, mask in loader:
                optimizer.zero_grad()
                loss = criterion(model(picture), mask)
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4g}")


PROGRAM = Program(
    name="masks-of-255",
    train=_train,
    source="Questions on a BCE loss below 0",
    truth=Truth(
        rules=("negative-loss", "target-out-of-range", "runaway-growth", "exploding-gradient", "logit-growth"),
        nodes=(
            "binary_cross_entropy_with_logits: target",
            "binary_cross_entropy_with_logits",
            "model: output",
            "model.last",
            "model.last: output",
        ),
    ),
)
