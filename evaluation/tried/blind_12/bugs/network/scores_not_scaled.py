"""The scores of an attention are not divided by the root of their width: one position takes all from the start."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class SelfAttention(nn.Module):
    def __init__(self, width: int, scale: float) -> None:
        super().__init__()
        self.q, self.k, self.v = nn.Linear(width, width), nn.Linear(width, width), nn.Linear(width, width)
        for layer in (self.q, self.k):
            nn.init.normal_(layer.weight, std=width**-0.5)
        self.drop = nn.Dropout(0.0)
        self.scale = scale

    def forward(self, x: Tensor) -> Tensor:
        attention = self.drop(torch.softmax(self.q(x) @ self.k(x).transpose(1, 2) * self.scale, dim=-1))
        return attention @ self.v(x)


class Encoder(nn.Module):
    def __init__(self, scale: float, width: int = 128) -> None:
        super().__init__()
        self.embed = nn.Embedding(30, width)
        self.attend = SelfAttention(width, scale)
        self.norm = nn.LayerNorm(width)
        self.out = nn.Linear(width, 5)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.embed(tokens)
        return self.out(self.norm(self.attend(x)).mean(dim=1))


def _train(setting: Setting) -> None:
    tokens = torch.randint(0, 30, (1200, 12))
    counts = torch.stack([(tokens % 5 == kind).sum(dim=1) for kind in range(5)], dim=1)
    common = counts.argmax(dim=1)
    model = Encoder(128**-0.5 if setting.is_fixed else 1.0)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for epoch in range(5):
            for rows in torch.randperm(1200).split(40):
                loss = nn.functional.cross_entropy(model(tokens[rows]), common[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="scores-not-scaled",
    train=_train,
    source="https://github.com/mlc-ai/mlc-llm/pull/3426",
    truth=Truth(rules=("attention-collapse",), nodes=("model.attend", "model.attend.drop", "model.attend.q", "model.attend.k")),
)
