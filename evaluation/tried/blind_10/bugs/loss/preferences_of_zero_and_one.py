"""A ranking loss wants 1 or -1 for which of two is better, and gets 1 or 0. Half of the pairs then teach nothing."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import regression_table
from evaluation.program import Program, Setting, Truth


class Score(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc1 = nn.Linear(10, 32)
        self.fc2 = nn.Linear(32, 1)

    def forward(self, answer: Tensor) -> Tensor:
        return self.fc2(torch.relu(self.fc1(answer)))[:, 0]


def _train(setting: Setting) -> None:
    answers, quality = regression_table(2000)
    score = Score()
    optimizer = torch.optim.Adam(score.parameters(), lr=3e-3)
    criterion = nn.MarginRankingLoss(margin=0.5)
    with setting.watch(score):
        for step in range(150):
            left, right = torch.randint(2000, (2, 40))
            preferred = (quality[left] > quality[right]).float().squeeze(1)
            if setting.is_fixed:
                preferred = 2 * preferred - 1
            scores = score(torch.cat([answers[left], answers[right]]))
            loss = criterion(scores[:40], scores[40:], preferred)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 30 == 29:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(
    name="preferences-of-zero-and-one",
    train=_train,
    source="PyTorch documentation, MarginRankingLoss wants 1 or -1",
    truth=Truth(
        rules=("target-out-of-range",),
        nodes=("margin_ranking_loss", "margin_ranking_loss: target", "model: output", "model"),
    ),
)
