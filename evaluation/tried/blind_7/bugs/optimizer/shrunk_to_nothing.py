"""`weight_decay=1` in Adam, which adds it to the gradients: they pull all weights to zero."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, sentences
from evaluation.program import Program, Setting, Truth


class Sentiment(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.EmbeddingBag(40, 24)
        self.hidden = nn.Linear(24, 32)
        self.out = nn.Linear(32, 2)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.out(torch.relu(self.hidden(self.words(tokens))))


def _train(setting: Setting) -> None:
    tokens, labels = sentences(1600)
    model = Sentiment()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3, weight_decay=1e-4 if setting.is_fixed else 1.0)
    with setting.watch(model):
        for x, y in batches(400, 40, tokens, labels):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


_PARTS = ("words", "hidden", "out")
PROGRAM = Program(
    name="shrunk-to-nothing",
    train=_train,
    source="Humbatova et al. 2020, training: wrong regularization; DeepCrime",
    truth=Truth(
        rules=("weights-collapse", "same-for-all-samples", "predictions-ignore-input", "vanishing-gradient", "loss-does-not-fall"),
        nodes=(
            "model: output",
            *(f"model.{part}{end}" for part in _PARTS for end in ("", ".weight", ": output")),
            "model.hidden.bias",
            "model.out.bias",
        ),
    ),
)
