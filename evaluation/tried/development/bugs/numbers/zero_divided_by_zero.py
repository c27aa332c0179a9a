"""Samples are normalized by their own deviation, which is 0 for a constant sample in step 37."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Normalized(nn.Module):
    def __init__(self, epsilon: float) -> None:
        super().__init__()
        self.conv = nn.Conv1d(1, 8, 3, padding=1)
        self.head = nn.Linear(8, 2)
        self.epsilon = epsilon

    def forward(self, x: Tensor) -> Tensor:
        x = (x - x.mean(dim=1, keepdim=True)) / (x.std(dim=1, keepdim=True) + self.epsilon)
        return self.head(torch.relu(self.conv(x[:, None])).mean(dim=2))


def _train(setting: Setting) -> None:
    labels = torch.randint(0, 2, (3200,))
    signals = torch.randn(3200, 24)
    signals[labels == 1] = signals[labels == 1].cumsum(dim=1)
    model = Normalized(epsilon=1e-5 if setting.is_fixed else 0.0)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model, sentinels=True):
        for number, (x, y) in enumerate(batches(800, 32, signals, labels)):
            if number == 37:
                # The sensor was off.
                x[3] = 0.0
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="zero-divided-by-zero",
    train=_train,
    source="DeepLocalize (numerical errors)",
    truth=Truth(rules=("nan-origin",), nodes=("model.conv: input", "model.conv: output"), step=37),
)
