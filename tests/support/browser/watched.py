"""A recording of a watched small network of residual blocks, with a branch that runs now and then."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import nn

import comgra_export
from comgra_export import DecisionMakerForRecordingsFrequencyPerType

__all__ = ["BLOCKS", "STEPS", "STEPS_WITH_EXTRA", "record_watched_group"]

BLOCKS = 12
STEPS = 6
STEPS_WITH_EXTRA = (2, 5)


class Attention(nn.Module):
    """Self-attention with one head."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        q, k, v = self.qkv(x).chunk(3, -1)
        scores = q @ k.transpose(-1, -2)
        return self.out(torch.softmax(scores if mask is None else scores + mask, -1) @ v)  # type: ignore[no-any-return]


class Block(nn.Module):
    """Attention and a perceptron, each beside a residual connection; both share a dropout."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.attention = Attention(width)
        self.norm2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 2 * width), nn.ReLU(inplace=True), nn.Linear(2 * width, width))
        self.drop = nn.Dropout(0.1)

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        x = x + self.drop(self.attention(self.norm1(x), mask))
        return x + self.drop(self.mlp(self.norm2(x)))  # type: ignore[no-any-return]


class Net(nn.Module):
    """Tokens to the scores of tokens, and to the most probable ones, which no gradient reaches."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(10, 8)
        self.blocks = nn.ModuleList(Block(8) for _ in range(BLOCKS))
        self.norm = nn.BatchNorm1d(5)
        self.extra = nn.Linear(8, 8)
        self.head = nn.Linear(8, 10)
        self.with_extra = False

    def forward(self, ids: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        hidden = self.embed(ids)
        for block in self.blocks:
            hidden = block(hidden, None)
        hidden = self.norm(hidden)
        if self.with_extra:
            hidden = self.extra(hidden)
        return self.head(hidden).mean(1), self.head(hidden * 2).argmax(-1)


def record_watched_group(root: Path) -> Path:
    """Record six steps of training and, as the seventh, an evaluation; returns the root."""
    torch.manual_seed(0)
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    with comgra_export.watch(net, root, decision_maker_for_recordings=DecisionMakerForRecordingsFrequencyPerType(1)):
        for step in range(STEPS):
            net.with_extra = step in STEPS_WITH_EXTRA
            optimizer.zero_grad()
            scores, _ = net(torch.randint(0, 10, (2, 5)))
            scores.sum().backward()
            optimizer.step()
        net.eval()
        net.with_extra = False
        with torch.no_grad():
            net(torch.randint(0, 10, (2, 5)))
    return root
