"""`F.dropout` without `training=self.training` drops values in evaluations too."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth


class Net(nn.Module):
    def __init__(self, follow_mode: bool) -> None:
        super().__init__()
        self.hidden = nn.Linear(20, 64)
        self.head = nn.Linear(64, 5)
        self.follow_mode = follow_mode

    def forward(self, x: Tensor) -> Tensor:
        x = torch.relu(self.hidden(x))
        x = nn.functional.dropout(x, 0.5, training=self.training if self.follow_mode else True)
        return self.head(x)


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs(2500)
    model = Net(follow_mode=setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for _ in range(13):
            model.train()
            for x, y in batches(62, 32, inputs[:2000], labels[:2000]):
                loss = nn.functional.cross_entropy(model(x), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                model(inputs[2000:])


PROGRAM = Program(
    name="functional-dropout-always-on",
    train=_train,
    source="PyTorch forum, F.dropout in evaluation",
    truth=Truth(rules=("evaluation-in-training-mode",), nodes=("model", "model.head: input")),
)
