"""The loop of a small transformer calls backward and step, and nothing clears the gradients."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class _Sorter(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.token = nn.Embedding(30, 32)
        self.place = nn.Parameter(0.1 * torch.randn(10, 32))
        self.layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True)
        self.out = nn.Linear(32, 30)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.out(self.layer(self.token(tokens) + self.place))


def _train(setting: Setting) -> None:
    tokens = torch.randint(0, 30, (2000, 10))
    turned = tokens.flip(1)
    model = _Sorter()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for step in range(300):
            chosen = torch.randint(0, 2000, (32,))
            if setting.is_fixed:
                optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(tokens[chosen]).flatten(0, 1), turned[chosen].flatten())
            loss.backward()
            optimizer.step()
            if step % 50 == 49:
                print(step, loss.item())


PROGRAM = Program(
    name="transformer-never-clears",
    train=_train,
    source="Humbatova et al. 2020: missing zero_grad; Karpathy's common mistakes: you forgot to zero_grad",
    truth=Truth(
        rules=(
            "gradients-left-over",
            "loss-does-not-fall",
            "exploding-gradient",
            "oscillating-loss",
            "diverging-loss",
            "predictions-ignore-input",
        ),
    ),
)
