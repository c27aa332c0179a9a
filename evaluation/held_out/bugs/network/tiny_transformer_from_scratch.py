"""A small language model with attention that is written by hand."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.everyday import phrases
from evaluation.program import Program, Setting, Truth


class Attention(nn.Module):
    def __init__(self, width: int, is_fixed: bool) -> None:
        super().__init__()
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, width, bias=False)
        self.value = nn.Linear(width, width, bias=False)
        self.scale = width**-0.5 if is_fixed else 1.0
        for projection in (self.query, self.key):
            nn.init.normal_(projection.weight, std=width**-0.5)

    def forward(self, x: Tensor) -> Tensor:
        scores = self.query(x) @ self.key(x).transpose(1, 2) * self.scale
        future = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1)
        weights = torch.softmax(scores.masked_fill(future, float("-inf")), dim=2)
        return weights @ self.value(x)


class TinyTransformer(nn.Module):
    def __init__(self, is_fixed: bool) -> None:
        super().__init__()
        self.tokens = nn.Embedding(24, 128)
        self.places = nn.Embedding(16, 128)
        self.norm1, self.norm2 = nn.LayerNorm(128), nn.LayerNorm(128)
        self.attention = Attention(128, is_fixed)
        self.mlp = nn.Sequential(nn.Linear(128, 128), nn.GELU(), nn.Linear(128, 128))
        self.out = nn.Linear(128, 24)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.tokens(tokens) + self.places(torch.arange(tokens.shape[1]))
        x = x + self.attention(self.norm1(x))
        return self.out(x + self.mlp(self.norm2(x)))


def _train(setting: Setting) -> None:
    text = phrases(1200)
    model = TinyTransformer(setting.is_fixed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for epoch in range(4):
            for rows in torch.randperm(1200).split(40):
                logits = model(text[rows, :-1])
                loss = nn.functional.cross_entropy(logits.flatten(0, 1), text[rows, 1:].flatten())
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="tiny-transformer-from-scratch",
    train=_train,
    source="https://github.com/PAIR-code/tiny-transformers/issues/71",
    truth=Truth(
        rules=("attention-collapse",),
        nodes=("model.attention", "softmax", "masked_fill", "matmul", "mul"),
    ),
)
