"""The hidden state of a recurrent cell is detached at every step of the sequence."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Memory(nn.Module):
    def __init__(self, detach: bool) -> None:
        super().__init__()
        self.cell = nn.GRUCell(8, 32)
        self.embedding = nn.Embedding(10, 8)
        self.head = nn.Linear(32, 10)
        self.detach = detach

    def forward(self, tokens: Tensor) -> Tensor:
        hidden = torch.zeros(len(tokens), 32)
        for position in range(tokens.shape[1]):
            if self.detach:
                hidden = hidden.detach()
            hidden = self.cell(self.embedding(tokens[:, position]), hidden)
        return self.head(hidden)


def _train(setting: Setting) -> None:
    tokens = torch.randint(0, 10, (2000, 6))
    model = Memory(detach=not setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        # The first token is to be remembered.
        for x, y in batches(700, 32, tokens, tokens[:, 0]):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="hidden-state-detached",
    train=_train,
    source="PyTorch forum, truncated backpropagation",
    truth=Truth(rules=("cut-path",), nodes=("model.cell", "model.cell: output")),
)
