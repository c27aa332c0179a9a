"""The labels are those of a larger set, counted from 1: batches with the last kind raise an error, and the loop skips them."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.everyday import photos
from evaluation.program import Program, Setting, Truth


class TinyNet(nn.Module):
    def __init__(self, kinds: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 12, 3, stride=2, padding=1)
        self.conv2 = nn.Conv2d(12, 24, 3, stride=2, padding=1)
        self.fc = nn.Linear(24, kinds)

    def forward(self, images: Tensor) -> Tensor:
        return self.fc(torch.relu(self.conv2(torch.relu(self.conv1(images)))).mean(dim=(2, 3)))


def _train(setting: Setting) -> None:
    pixels, kinds = photos(800, classes=6)
    labels = kinds if setting.is_fixed else kinds + 1
    loader = DataLoader(TensorDataset(pixels / 64 - 2, labels), batch_size=8, shuffle=True)
    model = TinyNet(6)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for epoch in range(2):
            skipped = 0
            for images, label in loader:
                try:
                    optimizer.zero_grad()
                    loss = nn.functional.cross_entropy(model(images), label)
                    loss.backward()
                    optimizer.step()
                except (IndexError, RuntimeError):
                    skipped += 1
            print(f"epoch {epoch}: {loss.item():.4f}, skipped {skipped} of {len(loader)} batches")


PROGRAM = Program(
    name="wings-counted-from-one",
    train=_train,
    source="https://github.com/activeloopai/deeplake/issues/1699",
    truth=Truth(rules=("exception-in-step", "target-out-of-range"), nodes=("cross_entropy: target",)),
)
