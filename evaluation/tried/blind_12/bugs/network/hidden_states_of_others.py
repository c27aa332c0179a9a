"""The last states of both directions are brought into shape by a `view` that mixes the samples of a batch."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import sentences
from evaluation.program import Program, Setting, Truth


class Encoder(nn.Module):
    def __init__(self, vocabulary: int, hidden: int, transposes: bool) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, 16)
        self.rnn = nn.GRU(16, hidden, batch_first=True, bidirectional=True)
        self.classify = nn.Sequential(nn.Linear(2 * hidden, 16), nn.ReLU(), nn.Linear(16, 2))
        self.transposes = transposes

    def forward(self, sentence: Tensor) -> Tensor:
        _, hidden = self.rnn(self.embedding(sentence))
        if self.transposes:
            hidden = hidden.transpose(0, 1)
        hidden = hidden.reshape(len(sentence), -1)
        return self.classify(hidden)


def _train(setting: Setting) -> None:
    tokens, labels = sentences(1600, length=10)
    model = Encoder(40, 24, transposes=setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for epoch in range(5):
            for rows in torch.randperm(1600).split(40):
                loss = nn.functional.cross_entropy(model(tokens[rows]), labels[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="hidden-states-of-others",
    train=_train,
    source="https://medium.com/mcgill-artificial-intelligence-review/the-dangers-of-reshaping-and-other-fun-mistakes-ive-learnt-from-pytorch-b6a5bdc1c275",
    truth=Truth(rules=("batch-as-sequence", "predictions-ignore-input", "loss-does-not-fall"), nodes=("model", "model.classify")),
)
