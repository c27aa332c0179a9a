"""Attention that compresses its memory: keys and values are shortened by a convolution, and the future is hidden."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.everyday import phrases
from evaluation.program import Program, Setting, Truth


class ConvCompress(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.conv = nn.Conv1d(width, width, 3, stride=3)

    def forward(self, memory: Tensor) -> Tensor:
        return self.conv(memory.transpose(1, 2)).transpose(1, 2)


class CompressedAttention(nn.Module):
    def __init__(self, width: int, hidden: float) -> None:
        super().__init__()
        self.hidden = hidden
        self.query = nn.Linear(width, width, bias=False)
        self.memory = nn.Linear(width, width, bias=False)
        self.compress = ConvCompress(width)
        self.softmax = nn.Softmax(dim=2)

    def forward(self, x: Tensor) -> Tensor:
        memory = self.compress(self.memory(x))
        scores = self.query(x) @ memory.transpose(1, 2) / x.shape[2] ** 0.5
        last_seen = 3 * torch.arange(memory.shape[1]) + 2
        future = torch.arange(x.shape[1])[:, None] < last_seen
        future[:, 0] = False
        return self.softmax(scores.masked_fill(future, self.hidden)) @ memory


class LanguageModel(nn.Module):
    def __init__(self, hidden: float) -> None:
        super().__init__()
        self.tokens = nn.Embedding(24, 32)
        self.attention = CompressedAttention(32, hidden)
        self.out = nn.Sequential(nn.Linear(32, 48), nn.ReLU(), nn.Linear(48, 24))

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.tokens(tokens)
        return self.out(x + self.attention(x))


def _train(setting: Setting) -> None:
    text = phrases(1200, length=13)
    mask_value = float("-inf") if setting.is_fixed else -float("-inf")
    model = LanguageModel(mask_value)
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
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
    name="sequences-with-less-memory",
    train=_train,
    source="https://github.com/lucidrains/memory-compressed-attention/issues/2",
    truth=Truth(
        rules=("nan-origin",),
        nodes=("model.attention.softmax", "model.attention.softmax: input", "model.attention", "masked_fill", "softmax"),
        step=0,
    ),
)
