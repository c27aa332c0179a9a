"""Daily returns are as often negative as positive, and the last layer of the network has a ReLU as all the others have."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    signals = torch.randn(2400, 15)
    effect = torch.randn(15)
    returns = torch.tanh(signals @ effect / 2) + 0.3 * torch.randn(2400)
    layers: list[nn.Module] = []
    for width_in, width_out in ((15, 32), (32, 16), (16, 1)):
        layers += [nn.Linear(width_in, width_out), nn.ReLU()]
    if setting.is_fixed:
        layers.pop()
    model = nn.Sequential(*layers)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for _ in range(10):
            for days in torch.randperm(2000).split(40):
                optimizer.zero_grad()
                loss = nn.functional.mse_loss(model(signals[days]).flatten(), returns[days])
                loss.backward()
                optimizer.step()
    with torch.no_grad():
        print("error", (model(signals[2000:]).flatten() - returns[2000:]).pow(2).mean().item())


PROGRAM = Program(
    name="relu-before-the-return",
    train=_train,
    source="Cao et al. 2022, DeepFD: wrong activation, ReLU on the output of a regression",
    truth=Truth(
        # Named in the truth since the program was tried: it is the bug itself.
        rules=(
            "target-out-of-range",
            "dead-relu",
            "loss-does-not-fall",
            "zero-gradient",
            "predictions-ignore-input",
            "saturated-units",
            "dormant-units",
        ),
        nodes=("model.5", "model.4"),
    ),
)
