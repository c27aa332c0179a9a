"""The optimizer is made, and then the model is copied so that the original can be kept. The copy is trained, and nothing moves."""

from __future__ import annotations

import copy

import torch
from torch import nn

from evaluation.datasets import batches, regression_table
from evaluation.program import Program, Setting, Truth


def build() -> nn.Sequential:
    return nn.Sequential(nn.Linear(10, 40), nn.Softplus(), nn.Linear(40, 40), nn.Softplus(), nn.Linear(40, 1))


def _train(setting: Setting) -> None:
    x, y = regression_table(1500)
    original = build()
    optimizer = torch.optim.Adam(original.parameters(), lr=3e-3)
    model = original if setting.is_fixed else copy.deepcopy(original)
    with setting.watch(model):
        for step, (some, wanted) in enumerate(batches(200, 50, x, y)):
            model.zero_grad()
            loss = nn.functional.mse_loss(model(some), wanted)
            loss.backward()
            optimizer.step()
            if step % 40 == 39:
                print(f"step {step}: {loss.item():.3f}")


PROGRAM = Program(
    name="copied-after-the-optimizer",
    train=_train,
    source="PyTorch forum, the optimizer holds the parameters of the model before deepcopy or before .to()",
    truth=Truth(
        rules=("not-in-optimizer", "never-updated", "optimizer-never-steps", "loss-does-not-fall"),
        nodes=("model", *(f"model.{i}{part}" for i in (0, 2, 4) for part in ("", ".weight", ".bias"))),
    ),
)
