"""A model is loaded for inference, in evaluation mode, and fine-tuned like that: no dropout, though the data are few."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, sentences
from evaluation.program import Program, Setting, Truth


class Encoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(40, 32)
        self.layer = nn.TransformerEncoderLayer(32, 2, 64, dropout=0.3, batch_first=True)
        self.dropout = nn.Dropout(0.5)
        self.classifier = nn.Linear(32, 2)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.classifier(self.dropout(self.layer(self.embedding(tokens)).mean(dim=1)))


def _load() -> Encoder:
    return Encoder().eval()


def _train(setting: Setting) -> None:
    tokens, labels = sentences(200)
    model = _load()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    if setting.is_fixed:
        model.train()
    with setting.watch(model):
        for x, y in batches(300, 16, tokens, labels):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="fine-tuning-in-evaluation-mode",
    train=_train,
    source="Hugging Face documentation of from_pretrained: the model is in evaluation mode, call model.train() to train it",
    truth=Truth(
        rules=("training-in-evaluation-mode",),
        nodes=("model", "model.dropout", "model.layer", *(f"model.layer.dropout{k}" for k in ("", "1", "2"))),
    ),
)
