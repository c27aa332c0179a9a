"""A photo has several tags. The network gives probabilities that add up to 1 over all tags."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Tagger(nn.Module):
    def __init__(self, last: nn.Module) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(24, 64), nn.ReLU(), nn.Linear(64, 8))
        self.last = last

    def forward(self, photo: Tensor) -> Tensor:
        return self.last(self.body(photo))


def _train(setting: Setting) -> None:
    photos = torch.randn(2500, 24)
    tags = (photos @ torch.randn(24, 8) / 24**0.5 > 0.2).float()
    model = Tagger(nn.Sigmoid() if setting.is_fixed else nn.Softmax(dim=1))
    criterion = nn.BCELoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for x, y in batches(250, 64, photos, tags):
            loss = criterion(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"right tags {((model(photos) > 0.5) == tags.bool()).float().mean():.2f}")


PROGRAM = Program(
    name="tags-compete",
    train=_train,
    source="StackOverflow, softmax for multi-label classification",
    truth=Truth(rules=("softmax-for-several-labels",), nodes=("model.last", "model: output")),
)
