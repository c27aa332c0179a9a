"""Short sentences are padded to 40 words, and a tagger is asked for the tag 0 of each of the many paddings."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth

LENGTH, VOCABULARY, TAGS = 40, 60, 5


def corpus(count: int) -> tuple[Tensor, Tensor]:
    """Words from 1 on, tags from 1 on; both are 0 behind the end. A tag depends on the word and on the one before it."""
    words = torch.randint(1, VOCABULARY, (count, LENGTH))
    before = torch.cat([torch.zeros(count, 1, dtype=torch.long), words[:, :-1]], dim=1)
    tags = 1 + (words + before % 2) % (TAGS - 1)
    lengths = torch.randint(2, 6, (count, 1))
    real = torch.arange(LENGTH) < lengths
    return words * real, tags * real


class Tagger(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, 24, padding_idx=0)
        self.lstm = nn.LSTM(24, 32, batch_first=True, bidirectional=True)
        self.tag = nn.Linear(64, TAGS)

    def forward(self, words: Tensor) -> Tensor:
        return self.tag(self.lstm(self.embedding(words))[0])


def _train(setting: Setting) -> None:
    words, tags = corpus(800)
    tagger = Tagger()
    criterion = nn.CrossEntropyLoss(ignore_index=0) if setting.is_fixed else nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(tagger.parameters(), lr=5e-3)
    with setting.watch(tagger):
        for step in range(100):
            rows = torch.randint(len(words), (32,))
            scores = tagger(words[rows])
            loss = criterion(scores.reshape(-1, TAGS), tags[rows].reshape(-1))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 25 == 24:
                real = tags[rows] > 0
                accuracy = (scores.argmax(-1) == tags[rows])[real].float().mean()
                print(f"{step}: loss {loss.item():.3f}, accuracy of words {accuracy.item():.2f}")


PROGRAM = Program(
    name="padding-is-most-of-the-target",
    train=_train,
    source="PyTorch forum, ignore_index left out of the loss of padded sequences",
    truth=Truth(rules=("constant-target", "predictions-ignore-input"), nodes=("cross_entropy: target", "cross_entropy")),
)
