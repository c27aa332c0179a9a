"""To save memory, a batch of 16 is computed as eight parts of two. A network with batch normalization takes the statistics of two."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import clients


def net(width: int = 48) -> nn.Sequential:
    layers: list[nn.Module] = []
    inside = 12
    for _ in range(3):
        layers += [nn.Linear(inside, width, bias=False), nn.BatchNorm1d(width), nn.ReLU()]
        inside = width
    return nn.Sequential(*layers, nn.Linear(width, 2))


def _train(setting: Setting) -> None:
    table, stays = clients(1600)
    model = net()
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    batch, part = 16, 16 if setting.is_fixed else 2
    with setting.watch(model):
        for step in range(75):
            optimizer.zero_grad()
            rows = torch.randint(1600, (batch,))
            total = 0.0
            for some in rows.split(part):
                loss = nn.functional.cross_entropy(model(table[some]), stays[some]) * len(some) / batch
                loss.backward()
                total += loss.item()
            optimizer.step()
            if step % 15 == 14:
                print(f"{step}: {total:.3f}")


PROGRAM = Program(
    name="micro-batches-of-two",
    train=_train,
    source="Common mistake: gradient accumulation with batch normalization",
    truth=Truth(
        rules=("small-batch-norm",),
        nodes=tuple(f"model.{n}{part}" for n in (1, 4, 7) for part in ("", ": output")),
    ),
)
