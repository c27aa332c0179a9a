"""Attention pooling over frames: the scores are `[N, T, 1]`, and `softmax(dim=-1)` of a single value is 1."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class AttentivePooling(nn.Module):
    def __init__(self, axis: int) -> None:
        super().__init__()
        self.axis = axis
        self.frame = nn.Sequential(nn.Linear(8, 32), nn.ReLU())
        self.score = nn.Linear(32, 1)
        self.out = nn.Linear(32, 3)

    def forward(self, frames: Tensor) -> Tensor:
        h = self.frame(frames)
        alpha = torch.softmax(self.score(h), dim=self.axis)
        return self.out((alpha * h).sum(dim=1))


def _train(setting: Setting) -> None:
    # One of 15 frames says which word was spoken, and a mark in it says that it is the one.
    words = torch.randint(3, (1200,))
    frames = torch.randn(1200, 15, 8)
    moment = torch.randint(15, (1200,))
    frames[torch.arange(1200), moment, :3] = 3 * nn.functional.one_hot(words, 3).float() + 0.3 * torch.randn(1200, 3)
    frames[torch.arange(1200), moment, 7] = 4.0
    pooling = AttentivePooling(1 if setting.is_fixed else -1)
    optimizer = torch.optim.Adam(pooling.parameters(), lr=4e-3)
    with setting.watch(pooling):
        for x, y in batches(200, 32, frames, words):
            loss = nn.functional.cross_entropy(pooling(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="every-frame-counts-the-same",
    train=_train,
    source="PyTorch forum, attention weights are all one",
    truth=Truth(
        rules=("softmax-over-one", "zero-gradient"),
        nodes=("model.score", "model.score: output", "model.score.weight", "model.score.bias", "model.out: input"),
    ),
)
