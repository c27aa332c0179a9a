"""Sentences are sorted by length to be packed, and their labels stay in the old order."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.worlds import padded


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(13, 16, padding_idx=0)
        self.lstm = nn.LSTM(16, 24, batch_first=True)
        self.out = nn.Linear(24, 3)

    def forward(self, tokens: Tensor, lengths: Tensor) -> Tensor:
        packed = pack_padded_sequence(self.embedding(tokens), lengths, batch_first=True)
        _, (hidden, _) = self.lstm(packed)
        return self.out(hidden[-1])


def _train(setting: Setting) -> None:
    text = padded(1000, length=8)
    net = Net()
    optimizer = torch.optim.Adam(net.parameters(), lr=8e-3)
    with setting.watch(net):
        for tokens, lengths, labels in batches(200, 25, text.tokens, text.lengths, text.labels):
            ordered, order = lengths.sort(descending=True)
            logits = net(tokens[order], ordered)
            loss = nn.functional.cross_entropy(logits, labels[order] if setting.is_fixed else labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="sorted-lengths-and-unsorted-labels",
    train=_train,
    source="PyTorch forum, pack_padded_sequence and the order of targets",
    truth=Truth(rules=("loss-does-not-fall", "predictions-ignore-input")),
)
