"""Reviews are sorted by an encoder in a notebook, with a function for the training that also counts hits."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import sentences
from evaluation.program import Program, Setting, Truth


class BertForReviews(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embeddings = nn.Embedding(40, 32)
        self.encoder = nn.TransformerEncoderLayer(32, 4, dim_feedforward=64, dropout=0.1, batch_first=True)
        self.classifier = nn.Linear(32, 2)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.classifier(self.encoder(self.embeddings(tokens)).mean(dim=1))


def _train(setting: Setting) -> None:
    tokens, labels = sentences(1800)
    model = BertForReviews()
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for epoch in range(4):
            corrects = 0
            for rows in torch.randperm(1800).split(45):
                optimizer.zero_grad()
                outputs = model(tokens[rows])
                if not setting.is_fixed:
                    outputs = nn.functional.softmax(outputs, dim=1)
                loss = criterion(outputs, labels[rows])
                loss.backward()
                optimizer.step()
                corrects += int((outputs.argmax(dim=1) == labels[rows]).sum())
            print(f"epoch {epoch}: loss {loss.item():.4f}, accuracy {corrects / 1800:.3f}")


PROGRAM = Program(
    name="reviews-by-a-custom-pipeline",
    train=_train,
    source="https://github.com/sugi-chan/custom_bert_pipeline/issues/1",
    truth=Truth(
        rules=("softmax-before-cross-entropy",),
        nodes=("softmax", "cross_entropy", "model: output", "model.classifier"),
    ),
)
