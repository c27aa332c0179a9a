"""A softmax over the single output of a fraud detector: every transaction has probability 1, and no weight has a gradient."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    transactions = torch.randn(2000, 14)
    is_fraud = (transactions[:, :3].sum(1) + 0.5 * torch.randn(2000) > 1).float()[:, None]
    last: nn.Module = nn.Sigmoid() if setting.is_fixed else nn.Softmax(dim=1)
    model = nn.Sequential(nn.Linear(14, 32), nn.ReLU(), nn.Linear(32, 1), last)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for x, y in batches(180, 64, transactions, is_fraud):
            loss = F.binary_cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"accuracy {((model(transactions) > 0.5) == is_fraud.bool()).float().mean():.2f}")


PROGRAM = Program(
    name="certain-of-fraud",
    train=_train,
    source="StackOverflow, binary classifier with softmax always returns 1",
    truth=Truth(rules=("softmax-over-one",), nodes=("model.3", "model.3: output")),
)
