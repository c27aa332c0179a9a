"""Gradients are clipped to a norm of 0.0001 instead of 1, and SGD hardly moves."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class _Tagger(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(30, 12)
        self.lstm = nn.LSTM(12, 16, batch_first=True)
        self.tags = nn.Linear(16, 3)

    def forward(self, words: Tensor) -> Tensor:
        states, _ = self.lstm(self.embedding(words))
        return self.tags(states)


def _train(setting: Setting) -> None:
    words = torch.randint(0, 30, (900, 10))
    # A word is tagged by the larger of its own kind and that of the word before it.
    kind = torch.randint(0, 3, (30,))[words]
    tags = torch.maximum(kind, torch.cat([kind[:, :1], kind[:, :-1]], dim=1))
    model = _Tagger()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9)
    max_norm = 1.0 if setting.is_fixed else 1e-4
    with setting.watch(model):
        for epoch in range(10):
            for index in torch.randperm(900).split(30):
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(words[index]).transpose(1, 2), tags[index])
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), max_norm)
                optimizer.step()
            print(epoch, loss.item())


PROGRAM = Program(
    name="norm-clipped-to-almost-nothing",
    train=_train,
    source="PyTorch forum: which max_norm for clip_grad_norm_",
    truth=Truth(rules=("always-clipped", "updates-too-small", "loss-does-not-fall")),
)
