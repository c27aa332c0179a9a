"""Tagging of words: in one batch all labels are -100, which are ignored. The mean over no labels is NaN."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.program import Program, Setting, Truth

UNLABELED = 65


class Tagger(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(24, 16)
        self.gru = nn.GRU(16, 16, batch_first=True, bidirectional=True)
        self.out = nn.Linear(32, 3)

    def forward(self, tokens: Tensor) -> Tensor:
        states, _ = self.gru(self.embedding(tokens))
        return self.out(states)


def _train(setting: Setting) -> None:
    model = Tagger()
    optimizer = torch.optim.Adam(model.parameters(), lr=6e-3)
    with setting.watch(model):
        for step in range(140):
            tokens = torch.randint(24, (16, 10))
            tags = (tokens + tokens.roll(1, dims=1)) % 3
            tags[torch.rand(16, 10) < 0.3] = -100
            if step == UNLABELED:
                tags[:] = -100
            if setting.is_fixed and (tags == -100).all():
                continue
            logits = model(tokens)
            loss = F.cross_entropy(logits.flatten(0, 1), tags.flatten(), ignore_index=-100)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"loss {loss.item():.3f}")


PROGRAM = Program(
    name="nothing-to-label",
    train=_train,
    source="pytorch issue 70348, cross_entropy is NaN if all labels are ignored",
    truth=Truth(rules=("nan-origin",), nodes=("cross_entropy", "cross_entropy: target"), step=UNLABELED),
)
