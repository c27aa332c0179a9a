"""From step 75 on a batch holds an empty sentence: all of its keys are masked by minus infinity, and the softmax divides by zero."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class _Attention(nn.Module):
    def __init__(self, width: int, masked: float) -> None:
        super().__init__()
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.query = nn.Parameter(torch.randn(width) / width**0.5)
        self.masked = masked

    def forward(self, x: Tensor, is_padding: Tensor) -> Tensor:
        scores = (self.key(x) @ self.query).masked_fill(is_padding, self.masked)
        return (scores.softmax(dim=1)[:, :, None] * self.value(x)).sum(1)


class _Sentiment(nn.Module):
    def __init__(self, masked: float) -> None:
        super().__init__()
        self.embed = nn.Embedding(40, 24, padding_idx=0)
        self.attend = _Attention(24, masked)
        self.out = nn.Linear(24, 2)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.out(self.attend(self.embed(tokens), tokens == 0))


def _train(setting: Setting) -> None:
    mood = torch.randn(40)
    model = _Sentiment(-1e9 if setting.is_fixed else float("-inf"))
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for step in range(250):
            tokens = torch.randint(1, 40, (32, 9))
            tokens[torch.arange(9) >= torch.randint(3, 10, (32, 1))] = 0
            if step >= 75:
                tokens[step % 32] = 0
            labels = ((mood[tokens] * (tokens > 0)).sum(1) > 0).long()
            loss = nn.functional.cross_entropy(model(tokens), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 50 == 49:
                print(step, loss.item())


PROGRAM = Program(
    name="sentence-of-padding",
    train=_train,
    source="github.com/pytorch/pytorch/issues/24816: a sequence that is all padding makes NaN",
    truth=Truth(rules=("nan-origin",), nodes=("model.attend", "model.out: input"), step=75),
)
