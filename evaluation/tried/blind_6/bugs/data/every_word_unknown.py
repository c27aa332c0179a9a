"""The vocabulary is in lower case, and the texts are in upper case: every word becomes the token for unknown words."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth

WORDS = [
    "good",
    "fine",
    "great",
    "nice",
    "lovely",
    "bad",
    "poor",
    "awful",
    "dull",
    "boring",
    "the",
    "a",
    "film",
    "plot",
    "was",
    "is",
    "very",
    "and",
]


class Reviewer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(len(WORDS) + 1, 16)
        self.lstm = nn.LSTM(16, 24, batch_first=True)
        self.out = nn.Linear(24, 2)

    def forward(self, tokens: Tensor) -> Tensor:
        states, _ = self.lstm(self.embedding(tokens))
        return self.out(states.mean(dim=1))


def _train(setting: Setting) -> None:
    numbers = {word: number for number, word in enumerate(WORDS, start=1)}
    drawn = torch.randint(len(WORDS), (800, 9))
    texts = [" ".join(WORDS[word] for word in row).upper() for row in drawn.tolist()]
    if setting.is_fixed:
        texts = [text.lower() for text in texts]
    tokens = torch.tensor([[numbers.get(word, 0) for word in text.split()] for text in texts])
    labels = ((drawn < 5).sum(1) > ((drawn >= 5) & (drawn < 10)).sum(1)).long()
    model = Reviewer()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    hits = 0.0
    with setting.watch(model):
        for x, y in batches(200, 32, tokens, labels):
            logits = model(x)
            loss = F.cross_entropy(logits, y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            hits = 0.95 * hits + 0.05 * (logits.argmax(1) == y).float().mean().item()
    print(f"accuracy {hits:.2f}")


PROGRAM = Program(
    name="every-word-unknown",
    train=_train,
    source="StackOverflow, tokenizer that returns only unknown tokens",
    truth=Truth(
        rules=("constant-input", "same-for-all-samples", "same-for-all-tokens", "predictions-ignore-input", "loss-does-not-fall"),
        nodes=("model: input tokens", "model.embedding", "model.lstm", "model.out"),
    ),
)
