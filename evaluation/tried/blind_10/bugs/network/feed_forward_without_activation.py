"""The feed-forward part of each transformer block consists of two linear layers with nothing in between."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import additions


class Block(nn.Module):
    def __init__(self, width: int, activation: bool) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.attention = nn.MultiheadAttention(width, 4, batch_first=True)
        self.norm2 = nn.LayerNorm(width)
        self.ff = nn.Sequential(nn.Linear(width, 4 * width), nn.Linear(4 * width, width))
        if activation:
            self.ff.insert(1, nn.GELU())

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        y = self.norm1(x)
        x = x + self.attention(y, y, y, attn_mask=mask, need_weights=False)[0]
        return x + self.ff(self.norm2(x))


class Calculator(nn.Module):
    def __init__(self, activation: bool, width: int = 32, length: int = 5) -> None:
        super().__init__()
        self.tokens = nn.Embedding(12, width)
        self.places = nn.Embedding(length, width)
        self.blocks = nn.ModuleList([Block(width, activation) for _ in range(2)])
        self.head = nn.Linear(width, 12)

    def forward(self, tokens: Tensor) -> Tensor:
        length = tokens.shape[1]
        x = self.tokens(tokens) + self.places(torch.arange(length))
        mask = torch.full((length, length), float("-inf")).triu(1)
        for block in self.blocks:
            x = block(x, mask)
        return self.head(x)


def _train(setting: Setting) -> None:
    sums = additions(3000, digits=1)
    model = Calculator(activation=setting.is_fixed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for step in range(140):
            text = sums[torch.randint(3000, (48,))]
            scores = model(text[:, :-1])[:, -2:]
            loss = nn.functional.cross_entropy(scores.flatten(0, 1), text[:, -2:].flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 35 == 34:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(
    name="feed-forward-without-activation",
    train=_train,
    source="UMLAUT (Schoop et al. 2021), missing activation",
    truth=Truth(
        rules=("linear-after-linear",),
        nodes=tuple(
            f"model.blocks.{n}.ff{part}" for n in (0, 1) for part in ("", ".0", ".1", ".0: output", ".1: output", ".0.weight", ".1.weight")
        ),
    ),
)
