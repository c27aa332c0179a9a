"""The cross entropy is written by hand as a logarithm of a sigmoid. One broken sensor, and a probability is exactly 1."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from evaluation.program import Program, Setting, Truth

GLITCH = 70


def _train(setting: Setting) -> None:
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for step in range(150):
            sensors = torch.randn(64, 8)
            alarm = (sensors[:, :1] * sensors[:, 1:2] > 0).float()
            if step == GLITCH:
                sensors[7] = 3e4 * torch.randn(8).sign()
                alarm[7] = float(model(sensors[7]) < 0)
            score = model(sensors)
            if setting.is_fixed:
                loss = F.binary_cross_entropy_with_logits(score.clamp(-20, 20), alarm)
            else:
                p = torch.sigmoid(score)
                loss = -(alarm * torch.log(p) + (1 - alarm) * torch.log(1 - p)).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"loss {loss.item():.3f}")


PROGRAM = Program(
    name="logarithm-of-a-sure-answer",
    train=_train,
    source="StackOverflow, NaN from a handwritten cross entropy; Zhang et al. 2018",
    truth=Truth(
        rules=("nan-origin",),
        nodes=(
            "log",
            "log (2)",
            "mul",
            "mul (2)",
            "add",
            "mean",
            "neg",
        ),
        step=GLITCH,
    ),
)
