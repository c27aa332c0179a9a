"""An autoencoder for large batches: four small ones make one, since the memory holds no more."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    images, _ = digits(800)
    x = images.flatten(1)
    model = nn.Sequential(nn.Linear(144, 64), nn.GELU(), nn.Linear(64, 20), nn.Tanh(), nn.Linear(20, 64), nn.GELU(), nn.Linear(64, 144))
    optimizer = torch.optim.AdamW(model.parameters(), lr=8e-3)
    accumulation = 4
    with setting.watch(model):
        for epoch in range(8):
            for number, rows in enumerate(torch.randperm(800).split(16)):
                begins = number % accumulation == 0
                if begins or not setting.is_fixed:
                    optimizer.zero_grad(set_to_none=True)
                loss = nn.functional.mse_loss(model(x[rows]), x[rows]) / accumulation
                loss.backward()
                if (number + 1) % accumulation == 0:
                    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                    optimizer.step()
            print(f"epoch {epoch}: {accumulation * loss.item():.4f}")


PROGRAM = Program(
    name="autoencoder-in-four-pieces",
    train=_train,
    source="https://github.com/bytetriper/RAE/issues/67",
    truth=Truth(rules=("gradients-cleared-early",)),
)
