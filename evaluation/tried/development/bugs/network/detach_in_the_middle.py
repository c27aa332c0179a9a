"""The features are detached before the head, a leftover of an experiment."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth


class Net(nn.Module):
    def __init__(self, detach: bool) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU())
        self.head = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 5))
        self.detach = detach

    def forward(self, x: Tensor) -> Tensor:
        features = self.encoder(x)
        if self.detach:
            features = features.detach()
        return self.head(features)


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs()
    model = Net(detach=not setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for x, y in batches(800, 32, inputs, labels):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="detach-in-the-middle",
    train=_train,
    source="Humbatova et al. (LDS)",
    truth=Truth(rules=("cut-path",), nodes=("model.encoder: output", "model.encoder.3: output", "model.head: input")),
)
