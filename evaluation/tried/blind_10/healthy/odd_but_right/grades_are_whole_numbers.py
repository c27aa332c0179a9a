"""Essays get whole grades from 0 to 12, and a regression predicts them: the order of grades matters, and 7.4 is a good answer."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence

from evaluation.program import Program, Setting


class Grader(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(50, 16, padding_idx=0)
        self.lstm = nn.LSTM(16, 24, batch_first=True, bidirectional=True)
        self.grade = nn.Linear(48, 1)

    def forward(self, essay: Tensor, lengths: Tensor) -> Tensor:
        packed = pack_padded_sequence(self.words(essay), lengths, batch_first=True, enforce_sorted=False)
        _, (state, _) = self.lstm(packed)
        return 6 + 3 * self.grade(torch.cat([state[0], state[1]], dim=1))[:, 0]


def essays(count: int) -> tuple[Tensor, Tensor, Tensor]:
    lengths = torch.randint(8, 21, (count,))
    tokens = torch.randint(1, 50, (count, 20)) * (torch.arange(20) < lengths[:, None])
    skill = torch.randn(count)
    good = (torch.rand(count, 20) < torch.sigmoid(skill)[:, None]) & (tokens > 0)
    tokens = torch.where(good, tokens.clamp(max=24), tokens.clamp(min=1) * (tokens > 0))
    quality = ((tokens > 0) & (tokens < 25)).sum(dim=1) / lengths
    return tokens, lengths, (16 * quality - 5 + 0.5 * torch.randn(count)).round().clamp(0, 12)


def _train(setting: Setting) -> None:
    tokens, lengths, grades = essays(1200)
    model = Grader()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for step in range(140):
            rows = torch.randint(1200, (32,))
            loss = nn.functional.mse_loss(model(tokens[rows], lengths[rows]), grades[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 35 == 34:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(name="grades-are-whole-numbers", train=_train, source="Taghipour and Ng 2016, essay scoring by regression")
