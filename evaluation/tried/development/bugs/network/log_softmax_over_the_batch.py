"""`log_softmax` runs over dimension 0, the batch, before the likelihood."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth


class Net(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 5))
        self.log_softmax = nn.LogSoftmax(dim=dim)

    def forward(self, x: Tensor) -> Tensor:
        return self.log_softmax(self.body(x))


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs()
    model = Net(dim=1 if setting.is_fixed else 0)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for x, y in batches(800, 32, inputs, labels):
            loss = nn.functional.nll_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="log-softmax-over-the-batch",
    train=_train,
    source="Stack Overflow 49036993, implicit dimension of softmax",
    truth=Truth(rules=("softmax-over-batch",), nodes=("model.log_softmax: output",)),
)
