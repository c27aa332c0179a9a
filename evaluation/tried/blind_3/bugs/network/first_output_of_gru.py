"""A classifier takes the first output of a GRU, which has seen one token: the recurrent weights meet a state of zeros only."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, sentences
from evaluation.program import Program, Setting, Truth


class Counter(nn.Module):
    def __init__(self, taken: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(40, 16)
        self.gru = nn.GRU(16, 32, batch_first=True)
        self.out = nn.Linear(32, 2)
        self.taken = taken

    def forward(self, tokens: Tensor) -> Tensor:
        outputs, _ = self.gru(self.embed(tokens))
        return self.out(outputs[:, self.taken])


def _train(setting: Setting) -> None:
    tokens, labels = sentences(1500)
    net = Counter(-1 if setting.is_fixed else 0)
    optimizer = torch.optim.Adam(net.parameters(), lr=4e-3)
    with setting.watch(net):
        for x, y in batches(250, 32, tokens, labels):
            optimizer.zero_grad()
            nn.functional.cross_entropy(net(x), y).backward()
            optimizer.step()


PROGRAM = Program(
    name="first-output-of-gru",
    train=_train,
    source="Stack Overflow, which output of an LSTM to use for classification",
    truth=Truth(
        rules=("zero-gradient", "loss-does-not-fall", "predictions-ignore-input", "no-gradient", "never-updated"),
        nodes=("model.gru", "model.gru.weight_hh_l0"),
    ),
)
