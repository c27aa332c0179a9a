"""A sigmoid at the end, and a loss that applies its own."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.hidden = nn.Linear(20, 64)
        self.out = nn.Linear(64, 1)
        self.probability = nn.Sigmoid()

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        score = self.out(torch.relu(self.hidden(x)))
        return score, self.probability(score)


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs(classes=2)
    model = Net()
    criterion = nn.BCEWithLogitsLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for x, y in batches(800, 32, inputs, labels.float()[:, None]):
            score, probability = model(x)
            loss = criterion(score if setting.is_fixed else probability, y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="sigmoid-before-bce-with-logits",
    train=_train,
    source="Stack Overflow 47352366",
    truth=Truth(rules=("softmax-before-cross-entropy",), nodes=("model.probability: output",)),
)
