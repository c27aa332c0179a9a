"""Two tables are joined by position, and the second has a header line more: each label belongs to the row above."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import clients


def _train(setting: Setting) -> None:
    table, stays = clients(3000)
    offset = 0 if setting.is_fixed else 1
    stays = stays.roll(offset)
    loader = DataLoader(TensorDataset(table, stays), batch_size=60, shuffle=True)
    model = nn.Sequential(nn.Linear(12, 24), nn.GELU(), nn.Dropout(0.1), nn.Linear(24, 24), nn.GELU(), nn.Linear(24, 2))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=5)
    with setting.watch(model):
        for epoch in range(5):
            right = 0
            for row, label in loader:
                scores = model(row)
                loss = nn.functional.cross_entropy(scores, label)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                right += int((scores.argmax(dim=1) == label).sum())
            scheduler.step()
            print(f"epoch {epoch}: {right / 3000:.3f}")


PROGRAM = Program(
    name="rows-joined-one-below",
    train=_train,
    source="Humbatova et al. 2020, training data: wrong alignment of labels; DeepCrime, change of labels",
    truth=Truth(
        rules=("predictions-ignore-input", "loss-does-not-fall"), nodes=("cross_entropy: target", "cross_entropy", "model.5: output")
    ),
)
