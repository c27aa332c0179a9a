"""`MultiheadAttention` has no `batch_first=True`, so the tokens of one command see those of all other commands at their place."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.series_and_tables import commands


class CommandNet(nn.Module):
    def __init__(self, batch_first: bool) -> None:
        super().__init__()
        self.words = nn.Embedding(30, 24)
        self.places = nn.Parameter(0.3 * torch.randn(10, 24))
        self.attention = nn.MultiheadAttention(24, 2, batch_first=batch_first)
        self.feed = nn.Sequential(nn.Linear(24, 48), nn.GELU(), nn.Linear(48, 24))
        self.out = nn.Linear(24, 3)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.words(tokens) + self.places
        x = x + self.attention(x, x, x, need_weights=False)[0]
        return self.out((x + self.feed(x)).amax(dim=1))


def _train(setting: Setting) -> None:
    tokens, word = commands(1600)
    net = CommandNet(batch_first=setting.is_fixed)
    optimizer = torch.optim.Adam(net.parameters(), lr=4e-3)
    with setting.watch(net):
        for step, (x, y) in enumerate(batches(220, 40, tokens, word)):
            loss = nn.functional.cross_entropy(net(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 44 == 43:
                print(f"step {step}: {loss.item():.4f}")
    with torch.no_grad():
        alone = torch.cat([net(row) for row in tokens[:100].split(1)]).argmax(dim=1)
    print(f"one by one: {(alone == word[:100]).float().mean():.2f}")


PROGRAM = Program(
    name="commands-attend-to-each-other",
    train=_train,
    source="Stack Overflow, nn.MultiheadAttention expects (L, N, E); PyTorch issues on batch_first",
    truth=Truth(
        rules=("batch-as-sequence",),
        nodes=("model.attention", "model.attention: output[0]", "model.attention: input query"),
    ),
)
