"""The root of a squared distance has no gradient at 0. From time to time a sample is its own positive: all weights become NaN."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth

TWIN = 90


def distance(a: Tensor, b: Tensor, epsilon: float) -> Tensor:
    return ((a - b).square().sum(dim=1) + epsilon).sqrt()


def _train(setting: Setting) -> None:
    centers = torch.randn(20, 12)
    model = nn.Sequential(nn.Linear(12, 48), nn.ReLU(), nn.Linear(48, 10))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    epsilon = 1e-6 if setting.is_fixed else 0.0
    with setting.watch(model):
        for step in range(200):
            kind = torch.randint(20, (32,))
            wrong = (kind + torch.randint(1, 20, (32,))) % 20
            anchor = centers[kind] + 0.6 * torch.randn(32, 12)
            positive = centers[kind] + 0.6 * torch.randn(32, 12)
            negative = centers[wrong] + 0.6 * torch.randn(32, 12)
            if step == TWIN:
                # The sampler drew the same picture twice. Its negative is close, so the margin is not yet kept.
                positive[5] = anchor[5]
                negative[5] = anchor[5] + 0.01
            a, p, n = model(anchor), model(positive), model(negative)
            loss = (distance(a, p, epsilon) - distance(a, n, epsilon) + 1.0).clamp(min=0).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="distance-of-twins",
    train=_train,
    source="pytorch issue 2421, gradient of a norm of zero is NaN",
    truth=Truth(
        rules=("nan-origin",),
        nodes=(
            "sqrt",
            "sqrt (2)",
            "model: output",
            "model.2: output",
            "model.2",
            "model.2.weight",
            "model.2.bias",
            "model.0.weight",
            "model.0.bias",
            "model.0",
        ),
        step=TWIN,
    ),
)
