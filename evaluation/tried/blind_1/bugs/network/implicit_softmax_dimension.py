"""`nn.Softmax()` without a dimension: for three dimensions it takes the first, so attention runs over the batch."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Reader(nn.Module):
    def __init__(self, softmax: nn.Module) -> None:
        super().__init__()
        self.embedding = nn.Embedding(40, 24)
        self.gru = nn.GRU(24, 24, batch_first=True)
        self.score = nn.Linear(24, 1)
        self.softmax = softmax
        self.head = nn.Linear(24, 4)

    def forward(self, tokens: Tensor) -> Tensor:
        states, _ = self.gru(self.embedding(tokens))
        weights = self.softmax(self.score(states))
        return self.head((weights * states).sum(dim=1))


def _train(setting: Setting) -> None:
    # One word of class 0 to 3 stands somewhere among words without a meaning.
    labels = torch.randint(0, 4, (2000,))
    tokens = torch.randint(4, 40, (2000, 10))
    tokens[torch.arange(2000), torch.randint(0, 10, (2000,))] = labels
    model = Reader(nn.Softmax(dim=1) if setting.is_fixed else nn.Softmax())
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for x, y in batches(500, 32, tokens, labels):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="implicit-softmax-dimension",
    train=_train,
    source="PyTorch's warning 'Implicit dimension choice for softmax has been deprecated' and the questions about it",
    truth=Truth(rules=("softmax-over-batch",), nodes=("model.softmax: output", "model.softmax")),
)
