"""The loss of the last batch of an epoch fails, since the targets are cut to a fixed size, and an except clause goes on."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import regression_table
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, targets = regression_table(count=1010)
    model = nn.Sequential(nn.Linear(10, 40), nn.SiLU(), nn.Linear(40, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(inputs, targets), batch_size=100, shuffle=True)
    skipped = 0
    with setting.watch(model):
        for _ in range(20):
            for x, y in loader:
                rows = len(y) if setting.is_fixed else 100
                try:
                    loss = (model(x) - y.view(rows, 1)).pow(2).mean()
                    optimizer.zero_grad()
                    loss.backward()
                    optimizer.step()
                except RuntimeError:
                    skipped += 1
    print("loss", loss.item(), "skipped", skipped)


PROGRAM = Program(
    name="odd-batch-is-skipped",
    train=_train,
    source="Humbatova et al. 2020: wrong tensor shape; PyTorch forum, the last batch has another size",
    truth=Truth(rules=("exception-in-step",)),
)
