"""The embedding is made in `forward`, so it has new random weights in every call and is in no optimizer."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Recommender(nn.Module):
    def __init__(self, keep: bool) -> None:
        super().__init__()
        self.items = nn.Embedding(30, 16) if keep else None
        self.fc1 = nn.Linear(16, 32)
        self.fc2 = nn.Linear(32, 5)

    def forward(self, items: Tensor) -> Tensor:
        embedding = nn.Embedding(30, 16) if self.items is None else self.items
        x = embedding(items).mean(dim=1)
        return self.fc2(torch.relu(self.fc1(x)))


def _train(setting: Setting) -> None:
    baskets = torch.randint(0, 30, (2000, 3))
    # The kind of customer that buys such things.
    kinds = (torch.nn.functional.one_hot(baskets, 30).float().sum(dim=1) @ torch.randn(30, 5)).argmax(dim=1)
    model = Recommender(keep=setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for x, y in batches(700, 32, baskets, kinds):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="layer-made-in-forward",
    train=_train,
    source="PyTorch forum, layers that are defined in forward do not learn",
    truth=Truth(rules=("not-in-optimizer", "predictions-ignore-input", "loss-does-not-fall")),
)
