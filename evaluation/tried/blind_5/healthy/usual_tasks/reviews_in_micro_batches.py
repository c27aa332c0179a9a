"""Four small batches are accumulated, each loss divided by four, before each step of a convolutional reader."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import sentences
from evaluation.program import Program, Setting


class _Reader(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(40, 24)
        self.conv = nn.Conv1d(24, 32, 3, padding=1)
        self.out = nn.Linear(32, 2)

    def forward(self, tokens: Tensor) -> Tensor:
        x = torch.relu(self.conv(self.words(tokens).transpose(1, 2)))
        return self.out(x.mean(2))


def _train(setting: Setting) -> None:
    tokens, labels = sentences()
    model = _Reader()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for epoch in range(8):
            optimizer.zero_grad()
            for index, chosen in enumerate(torch.randperm(1600).split(16)):
                loss = nn.functional.cross_entropy(model(tokens[chosen]), labels[chosen]) / 4
                loss.backward()
                if index % 4 == 3:
                    optimizer.step()
                    optimizer.zero_grad()
            with torch.no_grad():
                right = model(tokens[1600:]).argmax(1) == labels[1600:]
            print(epoch, 4 * loss.item(), "accuracy", right.float().mean().item())


PROGRAM = Program(name="reviews-in-micro-batches", train=_train, source="Hugging Face: gradient accumulation")
