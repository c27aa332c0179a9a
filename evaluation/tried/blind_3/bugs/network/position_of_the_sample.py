"""Positions are added as in a tutorial for `[T, N, F]`, to a batch of `[N, T, F]`: each sample gets a position, and no token."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Reader(nn.Module):
    def __init__(self, is_fixed: bool) -> None:
        super().__init__()
        self.tokens = nn.Embedding(6, 32)
        self.positions = nn.Parameter(0.3 * torch.randn(64, 1, 32))
        self.block = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True)
        self.out = nn.Linear(32, 2)
        self.is_fixed = is_fixed

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.tokens(tokens)
        positions = self.positions[: x.shape[1]].transpose(0, 1) if self.is_fixed else self.positions[: x.shape[0]]
        return self.out(self.block(x + positions).mean(dim=1))


def _train(setting: Setting) -> None:
    # Every sentence has each token once. The question is whether 0 comes before 1.
    sentences = torch.rand(1500, 6).argsort(dim=1)
    is_before = ((sentences == 0).int().argmax(dim=1) < (sentences == 1).int().argmax(dim=1)).long()
    net = Reader(setting.is_fixed)
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    with setting.watch(net):
        for tokens, labels in batches(250, 32, sentences, is_before):
            optimizer.zero_grad()
            nn.functional.cross_entropy(net(tokens), labels).backward()
            optimizer.step()


PROGRAM = Program(
    name="position-of-the-sample",
    train=_train,
    source="PyTorch issue, PositionalEncoding of the tutorial with batch_first",
    truth=Truth(rules=("loss-does-not-fall", "predictions-ignore-input")),
)
