"""The result of the attention is overwritten by that of the feed-forward layers, so it has no effect."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Layer(nn.Module):
    def __init__(self, width: int, is_fixed: bool) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(width, 4, batch_first=True)
        self.norm1 = nn.LayerNorm(width)
        self.feed = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))
        self.norm2 = nn.LayerNorm(width)
        self.is_fixed = is_fixed

    def forward(self, x: Tensor) -> Tensor:
        attended, _ = self.attention(x, x, x, need_weights=False)
        h = self.norm1(x + attended)
        if not self.is_fixed:
            h = x
        return self.norm2(h + self.feed(h))


class Matcher(nn.Module):
    def __init__(self, is_fixed: bool) -> None:
        super().__init__()
        self.embed = nn.Embedding(12, 32)
        self.layers = nn.Sequential(Layer(32, is_fixed), Layer(32, is_fixed))
        self.out = nn.Linear(32, 1)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.out(self.layers(self.embed(tokens))).squeeze(2)


def _train(setting: Setting) -> None:
    # Mark the tokens that occur more than once.
    tokens = torch.randint(12, (1500, 8))
    marks = ((tokens[:, :, None] == tokens[:, None, :]).sum(dim=2) > 1).float()
    model = Matcher(setting.is_fixed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for x, y in batches(260, 32, tokens, marks):
            loss = nn.functional.binary_cross_entropy_with_logits(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="attention-is-forgotten",
    train=_train,
    source="Karpathy, a recipe for training neural networks; common when code is merged",
    truth=Truth(
        rules=("no-gradient", "cut-path", "zero-gradient"),
        nodes=tuple(
            f"model.layers.{i}.{name}"
            for i in (0, 1)
            for name in ("attention", "attention.out_proj", "norm1", "attention: output", "norm1: output")
        ),
    ),
)
