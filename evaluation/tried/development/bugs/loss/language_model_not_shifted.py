"""The targets of a language model are its inputs, not the next tokens, so it learns to copy."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class LanguageModel(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(20, 32)
        self.gru = nn.GRU(32, 48, batch_first=True)
        self.head = nn.Linear(48, 20)

    def forward(self, tokens: Tensor) -> Tensor:
        states, _ = self.gru(self.embedding(tokens))
        return self.head(states)


def _train(setting: Setting) -> None:
    steps = torch.randint(1, 4, (2000, 1)) * torch.arange(13) + torch.randint(0, 20, (2000, 1))
    texts = torch.where(torch.rand(2000, 13) < 0.1, torch.randint(0, 20, (2000, 13)), steps % 20)
    model = LanguageModel()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for (text,) in batches(600, 32, texts):
            target = text[:, 1:] if setting.is_fixed else text[:, :-1]
            loss = nn.functional.cross_entropy(model(text[:, :-1]).flatten(0, 1), target.flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="language-model-not-shifted",
    train=_train,
    source="PyTorch forum, targets not shifted",
    truth=Truth(rules=("feature-is-label",), nodes=("model: input tokens",)),
)
