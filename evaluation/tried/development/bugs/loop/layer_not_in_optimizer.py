"""The optimizer is made before the output layer is replaced, so it never sees the new layer."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth


class Classifier(nn.Module):
    """A body that was trained before, and a head."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU())
        self.head = nn.Linear(64, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Returns logits."""
        logits: torch.Tensor = self.head(self.body(x))
        return logits


def _train(setting: Setting) -> None:
    inputs = torch.randn(2000, 20)
    labels = (inputs @ torch.randn(20, 5)).argmax(dim=1)
    model = Classifier()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    model.head = nn.Linear(64, 5)
    if setting.is_fixed:
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for _ in range(800):
            batch = torch.randint(0, len(inputs), (32,))
            loss = nn.functional.cross_entropy(model(inputs[batch]), labels[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="layer-not-in-optimizer",
    train=_train,
    source="TrainCheck, PyTorch forum 84911",
    truth=Truth(rules=("never-updated", "not-in-optimizer"), nodes=("model.head",)),
)
