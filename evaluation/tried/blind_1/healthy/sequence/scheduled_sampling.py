"""A decoder writes numbers in words; while it learns, it reads more and more of its own words instead of the right ones."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting


class Writer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.start = nn.Embedding(64, 32)
        self.symbols = nn.Embedding(5, 16)
        self.cell = nn.LSTMCell(16, 32)
        self.out = nn.Linear(32, 4)

    def forward(self, number: Tensor, right: Tensor, own: float) -> Tensor:
        h = self.start(number)
        c, symbol = torch.zeros_like(h), torch.full_like(number, 4)
        answers = []
        for t in range(right.shape[1]):
            h, c = self.cell(self.symbols(symbol), (h, c))
            answers.append(self.out(h))
            is_own = torch.rand(len(number)) < own
            symbol = torch.where(is_own, answers[-1].argmax(dim=1), right[:, t])
        return torch.stack(answers, dim=1)


def _train(setting: Setting) -> None:
    number = torch.randint(0, 64, (2000,))
    digits_of_four = torch.stack([number // 16, number // 4 % 4, number % 4, (number // 16 + number % 4) % 4], dim=1)
    model = Writer()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for step, (x, y) in enumerate(batches(500, 32, number, digits_of_four)):
            logits = model(x, y, own=min(0.8, step / 400))
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="scheduled-sampling", train=_train, source="Bengio et al. 2015", chose_thresholds=True)
