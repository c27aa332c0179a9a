"""A bidirectional LSTM tells good reviews from bad ones, with padding and clipped gradients."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence

from evaluation.program import Program, Setting


class _Reviews(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(80, 16, padding_idx=0)
        self.lstm = nn.LSTM(16, 16, batch_first=True, bidirectional=True)
        self.dropout = nn.Dropout(0.2)
        self.fc = nn.Linear(32, 1)

    def forward(self, words: Tensor, lengths: Tensor) -> Tensor:
        packed = pack_padded_sequence(self.embedding(words), lengths, batch_first=True, enforce_sorted=False)
        _, (hidden, _) = self.lstm(packed)
        return self.fc(self.dropout(torch.cat([hidden[0], hidden[1]], dim=1))).squeeze(1)


def _train(setting: Setting) -> None:
    mood = torch.randn(80)
    words = torch.randint(1, 80, (1200, 12))
    lengths = torch.randint(5, 13, (1200,))
    words[torch.arange(12) >= lengths[:, None]] = 0
    mood[0] = 0
    is_good = (mood[words].sum(1) > 0).float()
    model = _Reviews()
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for _ in range(9):
            model.train()
            for index in torch.randperm(1000).split(32):
                loss = nn.functional.binary_cross_entropy_with_logits(model(words[index], lengths[index]), is_good[index])
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
            model.eval()
            with torch.no_grad():
                print("accuracy", ((model(words[1000:], lengths[1000:]) > 0) == is_good[1000:].bool()).float().mean().item())


PROGRAM = Program(name="reviews-by-lstm", train=_train, source="Tutorials on sentiment analysis with IMDB")
