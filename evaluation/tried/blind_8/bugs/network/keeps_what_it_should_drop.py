"""`Dropout(0.95)` was translated from a library in which the number is the share to keep."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.series_and_tables import orchards


class TreeNet(nn.Module):
    def __init__(self, drop: float) -> None:
        super().__init__()
        self.lower = nn.Linear(8, 64)
        self.drop = nn.Dropout(drop)
        self.upper = nn.Linear(64, 64)
        self.out = nn.Linear(64, 1)

    def forward(self, x: Tensor) -> Tensor:
        h = self.drop(torch.relu(self.lower(x)))
        return self.out(torch.relu(self.upper(h)))


def _train(setting: Setting) -> None:
    trees, yields = orchards(2000)
    net = TreeNet(0.05 if setting.is_fixed else 0.95)
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    with setting.watch(net):
        for step, (x, y) in enumerate(batches(300, 50, trees[:1600], yields[:1600])):
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward()
            optimizer.step()
            if step % 100 == 99:
                net.eval()
                with torch.no_grad():
                    print(f"step {step}: test {nn.functional.mse_loss(net(trees[1600:]), yields[1600:]):.3f}")
                net.train()


PROGRAM = Program(
    name="keeps-what-it-should-drop",
    train=_train,
    source="Stack Overflow, keep_prob of TensorFlow 1 against p of nn.Dropout; Islam et al. 2019",
    truth=Truth(rules=("heavy-dropout",), nodes=("model.drop", "model.drop: output")),
)
