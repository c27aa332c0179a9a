"""`nn.Embedding.from_pretrained` freezes by default. The file had vectors for none of the words, so they are random, and stay so."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth

WORDS = 200


class TopicModel(nn.Module):
    def __init__(self, vectors: Tensor, freeze: bool) -> None:
        super().__init__()
        self.embedding = nn.Embedding.from_pretrained(vectors, freeze=freeze)
        self.fc = nn.Sequential(nn.Linear(vectors.shape[1], 32), nn.ReLU(), nn.Linear(32, 5))

    def forward(self, tokens: Tensor) -> Tensor:
        return self.fc(self.embedding(tokens).mean(dim=1))


def read_vectors(file: dict[str, list[float]], vocabulary: list[str]) -> Tensor:
    """Rows of the words in the file, and random ones for the others."""
    vectors = 0.3 * torch.randn(len(vocabulary), 10)
    for index, word in enumerate(vocabulary):
        if word in file:
            vectors[index] = torch.tensor(file[word])
    return vectors


def _train(setting: Setting) -> None:
    file = {f"w{i}": torch.randn(10).tolist() for i in range(WORDS)}
    # The words of the texts begin with capital letters.
    vectors = read_vectors(file, [f"W{i}" for i in range(WORDS)])
    topic = torch.randint(5, (1500,))
    frequencies = torch.rand(5, WORDS) ** 6
    texts = frequencies[topic].multinomial(12, replacement=True)
    model = TopicModel(vectors, freeze=not setting.is_fixed)
    optimizer = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=5e-3)
    with setting.watch(model):
        for tokens, label in batches(240, 50, texts, topic):
            loss = nn.functional.cross_entropy(model(tokens), label)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="word-vectors-stay-random",
    train=_train,
    source="PyTorch documentation of Embedding.from_pretrained (freeze=True), and questions about it",
    truth=Truth(rules=("frozen-as-initialized", "no-gradient", "never-updated"), nodes=("model.embedding", "model.embedding.weight")),
)
