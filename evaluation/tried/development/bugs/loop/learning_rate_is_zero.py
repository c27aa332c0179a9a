"""The warm-up divides integers, so its factor is 0 for the whole run."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs()
    model = nn.Sequential(nn.Linear(20, 64), nn.GELU(), nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 5))
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    warm_up = 1000

    def factor(step: int) -> float:
        return min(1.0, step / warm_up if setting.is_fixed else step // warm_up)

    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, factor)
    with setting.watch(model):
        for x, y in batches(900, 32, inputs, labels):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            scheduler.step()


PROGRAM = Program(
    name="learning-rate-is-zero",
    train=_train,
    source="PyTorch forum, warm-up",
    truth=Truth(rules=("updates-too-small", "never-updated", "loss-does-not-fall")),
)
