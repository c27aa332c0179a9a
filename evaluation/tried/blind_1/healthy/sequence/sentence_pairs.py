"""One encoder reads both sentences of a pair and says whether they are about the same animal; its embeddings are frozen."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting
from evaluation.shapes_and_sentences import WORDS, words


class Siamese(nn.Module):
    def __init__(self, vectors: Tensor) -> None:
        super().__init__()
        self.embedding = nn.Embedding.from_pretrained(vectors, freeze=True)
        self.encoder = nn.GRU(vectors.shape[1], 32, batch_first=True)
        self.classifier = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 2))

    def encode(self, tokens: Tensor) -> Tensor:
        return self.encoder(self.embedding(tokens))[1][0]

    def forward(self, left: Tensor, right: Tensor) -> Tensor:
        a, b = self.encode(left), self.encode(right)
        return self.classifier(torch.cat([(a - b).abs(), a * b], dim=1))


def _train(setting: Setting) -> None:
    text = words(7 * 2400).view(-1, 7)
    left, right = text[:1200], text[1200:].clone()
    # Half of the pairs share their subject.
    right[::2, 2] = left[::2, 2]
    labels = (left[:, 2] == right[:, 2]).long()
    model = Siamese(torch.randn(len(WORDS), 16))
    optimizer = torch.optim.Adam((parameter for parameter in model.parameters() if parameter.requires_grad), lr=3e-3)
    with setting.watch(model):
        for a, b, y in batches(500, 32, left, right, labels):
            loss = nn.functional.cross_entropy(model(a, b), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="sentence-pairs", train=_train, source="Conneau et al. 2017, InferSent")
