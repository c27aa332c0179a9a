"""The head for the new task replaces the old head after the optimizer was made. The optimizer still trains the old head."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth


class Backbone(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(nn.Linear(20, 48), nn.ReLU(), nn.Linear(48, 32), nn.ReLU())
        self.head = nn.Linear(32, 10)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.features(x))


def _train(setting: Setting) -> None:
    is_fixed = setting.is_fixed
    inputs, labels = class_blobs(classes=7)
    model = Backbone()
    if is_fixed:
        model.head = nn.Linear(32, 7)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.03, momentum=0.9)
    if not is_fixed:
        model.head = nn.Linear(32, 7)
    with setting.watch(model):
        for x, y in batches(250, 64, inputs, labels):
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"accuracy {(model(inputs).argmax(1) == labels).float().mean():.2f}")


PROGRAM = Program(
    name="new-head-after-the-optimizer",
    train=_train,
    source="PyTorch forum, replaced the last layer after creating the optimizer",
    truth=Truth(
        rules=("not-in-optimizer", "never-updated", "gradients-left-over"), nodes=("model.head", "model.head.weight", "model.head.bias")
    ),
)
