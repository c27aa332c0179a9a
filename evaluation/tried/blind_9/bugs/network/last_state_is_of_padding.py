"""Sentences are filled up to 60 words, and the last state is taken: that of padding long after the end."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


def reviews(count: int, length: int = 60, vocabulary: int = 40) -> tuple[Tensor, Tensor, Tensor]:
    lengths = torch.randint(4, 12, (count,))
    tokens = torch.randint(1, vocabulary, (count, length)) * (torch.arange(length) < lengths[:, None])
    good = ((tokens > 0) & (tokens % 2 == 0)).sum(dim=1)
    return tokens, lengths, (2 * good > lengths).long()


class Review(nn.Module):
    def __init__(self, use_lengths: bool) -> None:
        super().__init__()
        self.use_lengths = use_lengths
        self.embedding = nn.Embedding(40, 16, padding_idx=0)
        self.rnn = nn.RNN(16, 32, batch_first=True)
        self.head = nn.Linear(32, 2)

    def forward(self, tokens: Tensor, lengths: Tensor) -> Tensor:
        states = self.rnn(self.embedding(tokens))[0]
        last = lengths - 1 if self.use_lengths else torch.full_like(lengths, -1)
        return self.head(states[torch.arange(len(tokens)), last])


def _train(setting: Setting) -> None:
    tokens, lengths, labels = reviews(1500)
    model = Review(use_lengths=setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for step in range(140):
            rows = torch.randint(1500, (40,))
            loss = nn.functional.cross_entropy(model(tokens[rows], lengths[rows]), labels[rows])
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            if step % 35 == 34:
                print(f"step {step}: {loss.item():.3f}")


PROGRAM = Program(
    name="last-state-is-of-padding",
    train=_train,
    source="PyTorch forum, last output of a padded sequence without packing",
    truth=Truth(
        rules=("same-for-all-samples", "vanishing-gradient", "predictions-ignore-input", "loss-does-not-fall"),
        nodes=("model.rnn", "model.rnn: output[0]", "model.head: input", "model.head", "model.embedding"),
    ),
)
