"""The learning rate is that of a giant model: 1e-7. The small network does not move."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from evaluation.datasets import batches, curves
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    windows, following = curves()
    model = nn.Sequential(nn.Flatten(), nn.Linear(20, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3 if setting.is_fixed else 1e-7)
    with setting.watch(model):
        for x, y in batches(250, 64, windows, following):
            loss = F.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"loss {loss.item():.4f}")


PROGRAM = Program(
    name="rate-of-a-giant",
    train=_train,
    source="AUTOTRAINER (Zhang et al. 2021), slow convergence",
    truth=Truth(rules=("updates-too-small", "loss-does-not-fall")),
)
