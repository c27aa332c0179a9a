"""One function runs both kinds of epochs, and its `optimizer.step()` is not under `if training`."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import tones


class Listener(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Conv1d(1, 12, 7, stride=2), nn.BatchNorm1d(12), nn.ReLU(), nn.Conv1d(12, 16, 5, stride=2), nn.ReLU())
        self.drop = nn.Dropout(0.3)
        self.head = nn.Linear(16 * 13, 4)

    def forward(self, waves: Tensor) -> Tensor:
        return self.head(self.drop(self.body(waves).flatten(1)))


def _train(setting: Setting) -> None:
    waves, slopes = tones(1000)
    net = Listener()
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)

    def run_epoch(waves: Tensor, slopes: Tensor, training: bool) -> float:
        net.train(training)
        losses = []
        for x, y in zip(waves.split(40), slopes.split(40), strict=True):
            loss = nn.functional.cross_entropy(net(x), y)
            if training or not setting.is_fixed:
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            losses.append(loss.item())
        return sum(losses) / len(losses)

    with setting.watch(net):
        for epoch in range(10):
            shuffled = torch.randperm(800)
            train = run_epoch(waves[shuffled], slopes[shuffled], training=True)
            print(f"{epoch}: {train:.3f}, validation {run_epoch(waves[800:], slopes[800:], training=False):.3f}")


PROGRAM = Program(
    name="validation-trains-too",
    train=_train,
    source="questions about run_epoch functions that update weights on validation data",
    truth=Truth(rules=("training-in-evaluation-mode",), nodes=("model", "model.drop", "model.body", "model.body.1"), step=20),
)
