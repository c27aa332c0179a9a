"""The first network's choice is passed on with argmax, so the first network learns nothing."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth


class Router(nn.Module):
    def __init__(self, hard: bool) -> None:
        super().__init__()
        self.chooser = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 8))
        self.codes = nn.Embedding(8, 16)
        self.head = nn.Linear(16, 5)
        self.hard = hard

    def forward(self, x: Tensor) -> Tensor:
        scores = self.chooser(x)
        code = self.codes(scores.argmax(dim=1)) if self.hard else torch.softmax(scores, dim=1) @ self.codes.weight
        return self.head(code)


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs()
    model = Router(hard=not setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for x, y in batches(800, 32, inputs, labels):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="argmax-between-networks",
    train=_train,
    source="PyTorch forum, argmax has no gradient",
    truth=Truth(rules=("cut-path",), nodes=("model.chooser", "model.chooser.2: output", "model.chooser: output", "model.codes: input")),
)
