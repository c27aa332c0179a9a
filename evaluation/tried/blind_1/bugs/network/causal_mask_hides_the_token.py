"""The causal mask begins at diagonal 0 instead of 1, so the first token may attend to nothing and its softmax is NaN."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.shapes_and_sentences import WORDS, words


class Block(nn.Module):
    def __init__(self, diagonal: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(len(WORDS), 24)
        self.positions = nn.Parameter(0.02 * torch.randn(16, 24))
        self.qkv = nn.Linear(24, 72)
        self.softmax = nn.Softmax(dim=-1)
        self.mix = nn.Linear(24, 24)
        self.head = nn.Linear(24, len(WORDS))
        self.diagonal = diagonal

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.embedding(tokens) + self.positions
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        mask = torch.triu(torch.ones(16, 16, dtype=torch.bool), diagonal=self.diagonal)
        scores = (q @ k.transpose(1, 2) / 24**0.5).masked_fill(mask, float("-inf"))
        return self.head(x + self.mix(self.softmax(scores) @ v))


def _train(setting: Setting) -> None:
    text = words(17 * 900).view(-1, 17)
    model = Block(diagonal=1 if setting.is_fixed else 0)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for (tokens,) in batches(400, 16, text):
            logits = model(tokens[:, :-1])
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="causal-mask-hides-the-token",
    train=_train,
    source="PyTorch issue 41508: rows of an attention that are masked as a whole become NaN",
    truth=Truth(rules=("nan-origin",), nodes=("model.softmax: output", "model.softmax", "model.mix: input")),
)
