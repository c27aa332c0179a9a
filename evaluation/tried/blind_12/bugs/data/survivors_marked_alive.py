"""The table still has the column `alive`, which says the same as the target `survived`."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    passengers = torch.randn(1400, 7)
    chance = 1.4 * passengers[:, 0] - 1.1 * passengers[:, 1] * passengers[:, 2] + 0.8 * passengers[:, 3]
    survived = (chance + 1.2 * torch.randn(1400) > 0).float()
    columns = [passengers]
    if not setting.is_fixed:
        alive = survived[:, None]
        columns.append(alive)
    x = torch.cat(columns, dim=1)
    model = nn.Sequential(nn.Linear(x.shape[1], 24), nn.Tanh(), nn.Linear(24, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for epoch in range(6):
            for rows in torch.randperm(1200).split(40):
                logits = model(x[rows]).squeeze(1)
                loss = nn.functional.binary_cross_entropy_with_logits(logits, survived[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            with torch.no_grad():
                correct = (model(x[1200:]).squeeze(1) > 0) == (survived[1200:] > 0.5)
            print(f"epoch {epoch}: loss {loss.item():.4f}, accuracy on the rest {correct.float().mean().item():.3f}")


PROGRAM = Program(
    name="survivors-marked-alive",
    train=_train,
    source="https://github.com/mwaskom/seaborn-data/issues/37",
    truth=Truth(rules=("feature-is-label",), nodes=("model: input", "binary_cross_entropy_with_logits: target")),
)
