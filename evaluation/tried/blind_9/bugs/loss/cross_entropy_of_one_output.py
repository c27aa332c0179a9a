"""Whether a client stays is one output with `CrossEntropyLoss`, which takes the column of labels for probabilities. The loss is 0."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import clients


def _train(setting: Setting) -> None:
    table, stays = clients(1500)
    stays = stays.float().unsqueeze(1)
    model = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1))
    criterion: nn.Module = nn.BCEWithLogitsLoss() if setting.is_fixed else nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for epoch in range(5):
            total = 0.0
            for rows in torch.randperm(1500).split(50):
                loss = criterion(model(table[rows]), stays[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                total += loss.item()
            with torch.no_grad():
                accuracy = ((model(table) > 0).float() == stays).float().mean()
            print(f"epoch {epoch}: {total / 30:.3f}, accuracy {accuracy.item():.2f}")


PROGRAM = Program(
    name="cross-entropy-of-one-output",
    train=_train,
    source="Stack Overflow, CrossEntropyLoss is always 0 with one output; Zhang et al. 2018",
    truth=Truth(
        rules=("softmax-over-one", "zero-gradient", "no-gradient", "loss-does-not-fall"),
        nodes=("cross_entropy", *(f"model.{place}" for place in (0, 2, 4))),
    ),
)
