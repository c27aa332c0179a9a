"""A curriculum: a GRU adds marked numbers in lists that become longer, so the loss jumps at every new length."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class Adder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.rnn = nn.GRU(2, 32, batch_first=True)
        self.out = nn.Linear(32, 1)

    def forward(self, x: Tensor) -> Tensor:
        _, last = self.rnn(x)
        return self.out(last[0]).squeeze(1)


def make_lists(count: int, length: int) -> tuple[Tensor, Tensor]:
    values = torch.rand(count, length) * 2 - 1
    marks = torch.zeros(count, length)
    marks.scatter_(1, torch.rand(count, length).topk(2, dim=1).indices, 1.0)
    return torch.stack([values, marks], dim=2), (values * marks).sum(dim=1)


def _train(setting: Setting) -> None:
    model = Adder()
    optimizer = torch.optim.Adam(model.parameters(), lr=6e-3)
    with setting.watch(model):
        for length in (3, 5, 8, 12):
            for _ in range(90):
                x, y = make_lists(48, length)
                loss = nn.functional.mse_loss(model(x), y)
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
            print(f"length {length}: {loss.item():.4f}")


PROGRAM = Program(name="longer-and-longer", train=_train, source="Bengio et al. 2009 (curriculum learning), the adding problem")
