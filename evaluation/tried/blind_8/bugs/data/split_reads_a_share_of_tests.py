"""`train_test_split` is given the share of training as that of tests: 40 bottles are left to learn from."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth


def bottles(count: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Twelve normalized measurements, and whether a taster liked the wine, who errs in one case of ten."""
    table = torch.randn(count, 12)
    liked = (table[:, 0] + table[:, 1] * table[:, 2] > 0) ^ (torch.rand(count) < 0.1)
    return table, liked.long()


def _train(setting: Setting) -> None:
    table, liked = bottles(800)
    share_of_tests = 0.05 if setting.is_fixed else 0.95
    cut = round(800 * (1 - share_of_tests))
    model = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3, weight_decay=1e-4)
    criterion = nn.CrossEntropyLoss()
    with setting.watch(model):
        for step in range(200):
            chosen = torch.randint(cut, (32,))
            loss = criterion(model(table[:cut][chosen]), liked[:cut][chosen])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 20 == 19:
                model.eval()
                with torch.no_grad():
                    print(f"step {step}: test {criterion(model(table[cut:]), liked[cut:]):.3f}")
                model.train()


PROGRAM = Program(
    name="split-reads-a-share-of-tests",
    train=_train,
    source="Humbatova et al. 2020, training data: too few of them; Stack Overflow, train_test_split",
    truth=Truth(rules=("overfitting",)),
)
