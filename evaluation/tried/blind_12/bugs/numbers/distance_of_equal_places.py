"""The root of a squared distance has no slope at 0, and some pairs are the same sentence twice."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class SentenceEncoder(nn.Module):
    def __init__(self, vocabulary: int, width: int = 24) -> None:
        super().__init__()
        self.embed = nn.EmbeddingBag(vocabulary, width)
        self.project = nn.Sequential(nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 16))

    def forward(self, sentence: Tensor) -> Tensor:
        return self.project(self.embed(sentence))


def euclidean(a: Tensor, b: Tensor, eps: float) -> Tensor:
    return torch.sqrt(((a - b) ** 2).sum(dim=1) + eps)


def _train(setting: Setting) -> None:
    eps = 1e-8 if setting.is_fixed else 0.0
    topics = torch.randint(0, 8, (2000,))
    words = topics[:, None] * 16 + torch.randint(0, 16, (2000, 12))
    model = SentenceEncoder(128)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for step in range(150):
            rows = torch.randint(0, 2000, (48,))
            anchor, negative = words[rows], words[(rows + torch.randint(1, 2000, (48,))) % 2000]
            positive = topics[rows, None] * 16 + torch.randint(0, 16, (48, 12))
            if step >= 20 and step % 10 == 0:
                positive[0] = anchor[0]
            a, p, n = model(torch.cat([anchor, positive, negative])).chunk(3)
            loss = torch.relu(euclidean(a, p, eps) - euclidean(a, n, eps) + 1).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 25 == 0:
                print(f"step {step}: {loss.item():.4f}")


PROGRAM = Program(
    name="distance-of-equal-places",
    train=_train,
    source="https://github.com/huggingface/sentence-transformers/pull/4033",
    truth=Truth(
        rules=("nan-origin",),
        nodes=(
            "sqrt",
            "sqrt (2)",
            "sum",
            "sum (2)",
            "pow",
            "pow (2)",
            "sub",
            "sub (2)",
            "sub (3)",
            "add",
            "add (2)",
            "add (3)",
            "relu",
            "mean",
            "chunk[0]",
            "chunk[1]",
            "chunk[2]",
            "model.project",
            "model: output",
        ),
        step=20,
    ),
)
