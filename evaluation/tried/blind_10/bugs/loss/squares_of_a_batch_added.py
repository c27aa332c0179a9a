"""The loss adds up the squares of 64 samples. With the learning rate of the mean, each step goes 64 times too far."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.series_and_tables import machines


class WearNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(nn.Conv1d(2, 12, 5), nn.ELU(), nn.Conv1d(12, 12, 5), nn.ELU())
        self.wear = nn.Linear(12, 1)

    def forward(self, vibration: Tensor) -> Tensor:
        return self.wear(self.features(vibration.transpose(1, 2)).mean(dim=2))


def _train(setting: Setting) -> None:
    vibration, wear = machines(1600)
    net = WearNet()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.003, momentum=0.9)
    with setting.watch(net):
        for step in range(220):
            rows = torch.randint(1600, (64,))
            error = (net(vibration[rows]) - wear[rows]).square()
            loss = error.mean() if setting.is_fixed else error.sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 44 == 43:
                print(f"{step}: {loss.item():.4g}")


PROGRAM = Program(
    name="squares-of-a-batch-added",
    train=_train,
    source="GitHub issues on losses that are summed over the batch",
    truth=Truth(
        rules=(
            "summed-loss",
            "updates-too-large",
            "exploding-gradient",
            "oscillating-loss",
            "predictions-ignore-input",
            "loss-does-not-fall",
            "diverging-loss",
            "same-for-all-samples",
        ),
        nodes=("sum", "square", "pow", "model", "model.features", "model.wear", "model.wear.weight", "model.wear: output"),
    ),
)
