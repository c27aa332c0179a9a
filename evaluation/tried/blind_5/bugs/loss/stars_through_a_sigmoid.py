"""One to five stars of a review are fitted with a mean squared error behind a sigmoid, which never exceeds one."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    reviews = torch.randn(1600, 16)
    taste = torch.tanh(reviews @ torch.randn(16, 8) / 4) @ torch.randn(8, 1)
    stars = (3 + taste).round().clamp(1, 5)
    last = nn.Linear(48, 1)
    model = nn.Sequential(nn.Linear(16, 48), nn.ReLU(), last)
    if setting.is_fixed:
        nn.init.constant_(last.bias, 3.0)
    else:
        model.append(nn.Sigmoid())
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for _ in range(10):
            for chosen in torch.randperm(1500).split(50):
                loss = nn.functional.mse_loss(model(reviews[chosen]), stars[chosen])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    with torch.no_grad():
        error = (model(reviews[1500:]) - stars[1500:]).abs().mean()
    print("loss", loss.item(), "stars off", error.item())


PROGRAM = Program(
    name="stars-through-a-sigmoid",
    train=_train,
    source="Humbatova et al. 2020: wrong activation of the last layer; StackOverflow, sigmoid for regression",
    truth=Truth(
        rules=(
            "target-out-of-range",
            "saturated-units",
            "loss-does-not-fall",
            "predictions-ignore-input",
            "vanishing-gradient",
            "logit-growth",
            "same-for-all-samples",
            "initial-loss",
            "dormant-units",
        ),
        nodes=("model.3", "model.2", "model: output"),
    ),
)
