"""Six attention blocks without residual connections make all tokens alike."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, sentences
from evaluation.program import Program, Setting, Truth


class Attention(nn.Module):
    def __init__(self, size: int, scale: float) -> None:
        super().__init__()
        self.queries, self.keys, self.values = nn.Linear(size, size), nn.Linear(size, size), nn.Linear(size, size)
        self.softmax = nn.Softmax(dim=2)
        self.scale = scale

    def forward(self, x: Tensor) -> Tensor:
        scores = self.queries(x) @ self.keys(x).transpose(1, 2) * self.scale
        return self.softmax(scores) @ self.values(x)


class Encoder(nn.Module):
    def __init__(self, residual: bool) -> None:
        super().__init__()
        self.embedding = nn.Embedding(40, 16)
        self.blocks = nn.ModuleList(Attention(16, 0.25) for _ in range(6))
        self.norms = nn.ModuleList(nn.LayerNorm(16) for _ in range(6))
        self.head = nn.Linear(16, 40)
        self.residual = residual

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.embedding(tokens)
        for block, norm in zip(self.blocks, self.norms, strict=True):
            x = x + block(norm(x)) if self.residual else norm(block(x))
        return self.head(x)


def _train(setting: Setting) -> None:
    tokens, _ = sentences()
    model = Encoder(residual=setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        # Every token is to be mapped to another one.
        for x, y in batches(460, 16, tokens, (tokens * 7 + 3) % 40):
            loss = nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="no-residual-connections",
    train=_train,
    source="Dong et al. 2021; Noci et al. 2022: the gradients of queries and keys vanish when all tokens are alike",
    truth=Truth(
        rules=("same-for-all-tokens", "vanishing-gradient"),
        nodes=tuple(
            f"model.{place}"
            for block in range(6)
            for place in (
                f"blocks.{block}: output",
                f"norms.{block}: output",
                f"blocks.{block}.queries.weight",
                f"blocks.{block}.keys.weight",
            )
        ),
    ),
)
