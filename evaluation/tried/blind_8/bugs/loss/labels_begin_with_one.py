"""Whether a seed sprouts is coded as 1 and 2. The loss for 0 and 1 has no lowest value then."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    count = 1500
    seeds = torch.randn(count, 7)
    sprouts = ((seeds[:, 0] - seeds[:, 1] * seeds[:, 2]) > 0).float()
    coded = sprouts + 1
    if setting.is_fixed:
        coded = coded - 1
    model = nn.Sequential(nn.Linear(7, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1), nn.Flatten(0))
    opt = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for epoch in range(8):
            for chosen in torch.randperm(count).split(50):
                out = model(seeds[chosen])
                loss = nn.functional.binary_cross_entropy_with_logits(out, coded[chosen])
                opt.zero_grad()
                loss.backward()
                opt.step()
            with torch.no_grad():
                right = (model(seeds) > 0) == (sprouts > 0)
            print(f"epoch {epoch}: loss {loss.item():.2f}, right {right.float().mean():.2f}")


PROGRAM = Program(
    name="labels-begin-with-one",
    train=_train,
    source="Stack Overflow, binary cross entropy is negative: labels 1 and 2",
    truth=Truth(
        rules=("negative-loss", "target-out-of-range", "logit-growth", "runaway-growth"),
        nodes=(
            "binary_cross_entropy_with_logits",
            "binary_cross_entropy_with_logits: target",
            "model.5: output",
            "model.4",
            "model.4: output",
        ),
    ),
)
