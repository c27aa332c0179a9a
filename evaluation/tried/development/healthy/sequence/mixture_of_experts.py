"""Two of eight experts answer for every token; some experts are rarely chosen, and a small loss balances them."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.shapes_and_sentences import WORDS, words


class _Experts(nn.Module):
    def __init__(self, width: int, experts: int = 8, chosen: int = 2) -> None:
        super().__init__()
        self.chosen = chosen
        self.router = nn.Linear(width, experts, bias=False)
        self.experts = nn.ModuleList(nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width)) for _ in range(experts))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        shares = torch.softmax(self.router(x), dim=-1)
        weights, choices = shares.topk(self.chosen, dim=-1)
        weights = weights / weights.sum(-1, keepdim=True)
        out = torch.zeros_like(x)
        for number, expert in enumerate(self.experts):
            rows, place = torch.where(choices == number)
            if len(rows):
                out = out.index_add(0, rows, weights[rows, place, None] * expert(x[rows]))
        used = nn.functional.one_hot(choices, len(self.experts)).float().sum(1).mean(0) / self.chosen
        return x + out, len(self.experts) * (used * shares.mean(0)).sum()


class _Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(len(WORDS), 12)
        self.inner = nn.Linear(36, 32)
        self.experts = _Experts(32)
        self.norm = nn.LayerNorm(32)
        self.head = nn.Linear(32, len(WORDS))

    def forward(self, context: Tensor) -> tuple[Tensor, Tensor]:
        x = self.inner(self.embedding(context).flatten(1))
        x, balance = self.experts(x)
        return self.head(self.norm(x)), balance


def _train(setting: Setting) -> None:
    text = words(10_000)
    model = _Model()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for _ in range(600):
            index = torch.randint(len(text) - 4, (64,))
            context = torch.stack([text[index], text[index + 1], text[index + 2]], dim=1)
            logits, balance = model(context)
            loss = nn.functional.cross_entropy(logits, text[index + 3]) + 0.01 * balance
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="mixture-of-experts", train=_train, source="Shazeer et al. 2017; balance loss of Fedus et al. 2022")
