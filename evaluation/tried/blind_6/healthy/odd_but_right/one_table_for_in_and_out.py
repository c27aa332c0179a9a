"""A language model whose output layer is its embedding table, on purpose."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.datasets import batches
from evaluation.program import Program, Setting


class Tied(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(30, 32)
        nn.init.normal_(self.embedding.weight, std=0.1)
        self.gru = nn.GRU(32, 32, batch_first=True)
        self.out = nn.Linear(32, 30)
        self.out.weight = self.embedding.weight

    def forward(self, tokens: Tensor) -> Tensor:
        states, _ = self.gru(self.embedding(tokens))
        return self.out(states)


def _train(setting: Setting) -> None:
    follows = torch.stack([torch.randperm(30)[:3] for _ in range(30)])
    tokens = torch.randint(30, (1200, 13))
    for t in range(12):
        tokens[:, t + 1] = follows[tokens[:, t], torch.randint(3, (1200,))]
    model = Tied()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for (x,) in batches(200, 32, tokens):
            logits = model(x[:, :-1])
            loss = F.cross_entropy(logits.reshape(-1, 30), x[:, 1:].reshape(-1))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"perplexity {loss.exp().item():.2f}, at best 3")


PROGRAM = Program(name="one-table-for-in-and-out", train=_train, source="Press and Wolf 2017")
