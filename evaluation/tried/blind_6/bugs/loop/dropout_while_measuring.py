"""The validation runs without `eval()`, so half of the units are dropped while the accuracy is measured."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Reader(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(40, 24)
        self.dropout = nn.Dropout(0.5)
        self.hidden = nn.Linear(24, 16)
        self.out = nn.Linear(16, 3)

    def forward(self, tokens: Tensor) -> Tensor:
        h = self.embedding(tokens).mean(dim=1)
        return self.out(self.dropout(torch.relu(self.hidden(h))))


def _train(setting: Setting) -> None:
    tokens = torch.randint(40, (2600, 10))
    strength = torch.randn(40)[tokens].sum(dim=1) + 0.6 * torch.randn(2600)
    labels = (strength > -1).long() + (strength > 1).long()
    model = Reader()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for step, (x, y) in enumerate(batches(240, 64, tokens[:2000], labels[:2000])):
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 40 == 39:
                if setting.is_fixed:
                    model.eval()
                with torch.no_grad():
                    print(f"accuracy {(model(tokens[2000:]).argmax(1) == labels[2000:]).float().mean():.3f}")
                model.train()


PROGRAM = Program(
    name="dropout-while-measuring",
    train=_train,
    source="StackOverflow, different accuracies for the same input without model.eval()",
    truth=Truth(rules=("evaluation-in-training-mode",), nodes=("model.dropout",)),
)
