"""Gradients of four batches are to be gathered, but they are cleared before each of them. The update knows the fourth alone."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.worlds import babble


class Speaker(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(16, 24)
        self.gru = nn.GRU(24, 48, batch_first=True)
        self.out = nn.Linear(48, 16)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.out(self.gru(self.embed(tokens))[0])


def _train(setting: Setting) -> None:
    texts = babble(1600)
    model = Speaker()
    optimizer = torch.optim.Adam(model.parameters(), lr=8e-3)
    accumulate = 4
    with setting.watch(model):
        for i, (text,) in enumerate(batches(240, 10, texts)):
            if i % accumulate == 0 or not setting.is_fixed:
                optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(text[:, :-1]).flatten(0, 1), text[:, 1:].flatten())
            (loss / accumulate).backward()
            if (i + 1) % accumulate == 0:
                optimizer.step()
            if i % 60 == 59:
                print(f"{i}: {loss.item():.3f}")


PROGRAM = Program(
    name="only-every-fourth-batch-counts",
    train=_train,
    source="GitHub issues on gradient accumulation with zero_grad before each backward pass",
    truth=Truth(rules=("gradients-cleared-early",)),
)
