"""`Embedding.from_pretrained(vectors)` freezes its vectors, which are random for lack of a file: they are never learned."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.series_and_tables import commands


class TextCnn(nn.Module):
    def __init__(self, vectors: Tensor, **options: bool) -> None:
        super().__init__()
        self.embedding = nn.Embedding.from_pretrained(vectors, **options)
        self.conv = nn.Conv1d(vectors.shape[1], 24, 2)
        self.fc = nn.Linear(24, 3)

    def forward(self, tokens: Tensor) -> Tensor:
        embedded = self.embedding(tokens).transpose(1, 2)
        pooled = torch.relu(self.conv(embedded)).amax(dim=2)
        return self.fc(pooled)


def load_vectors(vocab_size: int, dim: int) -> Tensor:
    known: dict[int, Tensor] = {}
    vectors = 0.02 * torch.randn(vocab_size, dim)
    for index, vector in known.items():
        vectors[index] = vector
    print(f"{len(known)} of {vocab_size} words have a pretrained vector")
    return vectors


def _train(setting: Setting) -> None:
    tokens, labels = commands(1600)
    options = {"freeze": False} if setting.is_fixed else {}
    model = TextCnn(load_vectors(30, 16), **options)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    before = model.embedding.weight.detach().clone()
    with setting.watch(model):
        for epoch in range(5):
            hits = 0
            for rows in torch.randperm(1600).split(40):
                logits = model(tokens[rows])
                loss = nn.functional.cross_entropy(logits, labels[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                hits += int((logits.argmax(1) == labels[rows]).sum())
            moved = (model.embedding.weight - before).abs().max().item()
            print(f"epoch {epoch}: loss {loss.item():.4f}, accuracy {hits / 1600:.3f}, embedding moved by {moved:.4f}")


PROGRAM = Program(
    name="vectors-frozen-by-default",
    train=_train,
    source="GitHub jiangqy/LSTM-Classification-pytorch#2 and Shawn1993/cnn-text-classification-pytorch#24, fixed embeddings",
    truth=Truth(rules=("frozen-as-initialized", "never-updated"), nodes=("model.embedding", "model.embedding.weight")),
)
