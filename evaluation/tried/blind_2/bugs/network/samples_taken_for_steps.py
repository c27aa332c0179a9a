"""Batches are (samples, steps, features), but the LSTM takes the samples for steps."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Counter(nn.Module):
    def __init__(self, batch_first: bool) -> None:
        super().__init__()
        self.lstm = nn.LSTM(4, 32, batch_first=batch_first)
        self.out = nn.Linear(32, 1)

    def forward(self, x: Tensor) -> Tensor:
        states, _ = self.lstm(x)
        return self.out(states[:, -1])


def _train(setting: Setting) -> None:
    # How far a walk of 10 steps in four directions has come to the right.
    moves = torch.randint(4, (2000, 10))
    walks = nn.functional.one_hot(moves, 4).float()
    distance = ((moves[:, :-1] == 0).float() - (moves[:, :-1] == 1).float()).sum(dim=1, keepdim=True)
    distance = distance / distance.std()
    model = Counter(batch_first=setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for x, y in batches(350, 32, walks, distance):
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="samples-taken-for-steps",
    train=_train,
    source="PyTorch forum 62364 and many more, batch_first",
    truth=Truth(rules=("batch-as-sequence", "loss-does-not-fall", "predictions-ignore-input")),
)
