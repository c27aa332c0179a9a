"""The prediction is a column and the target a row: the loss compares each with each."""

from __future__ import annotations

import warnings

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    x = torch.rand(1024, 6)
    y = x[:, 0] + x[:, 1] * x[:, 2] + torch.sin(4 * x[:, 3])
    m = nn.Sequential(nn.Linear(6, 32), nn.Tanh(), nn.Linear(32, 1))
    optim = torch.optim.Adam(m.parameters(), lr=0.05)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optim, "min", factor=0.5, patience=20)
    mse = nn.MSELoss()
    warnings.filterwarnings("ignore", category=UserWarning)
    with setting.watch(m):
        for epoch in range(160):
            optim.zero_grad()
            out = m(x)
            loss = mse(out, y.unsqueeze(1) if setting.is_fixed else y)
            loss.backward()
            optim.step()
            scheduler.step(loss.detach())
            if epoch % 20 == 0:
                print(loss.item())


PROGRAM = Program(
    name="sum-of-three-against-a-row",
    train=_train,
    source="https://discuss.pytorch.org/t/output-of-the-model-depends-on-the-shape-of-the-weights-tensor/148155",
    truth=Truth(
        rules=("broadcast-in-loss", "predictions-ignore-input", "same-for-all-samples", "loss-does-not-fall"),
        nodes=("mse_loss", "mse_loss: target", "model: output", "model.2"),
    ),
)
