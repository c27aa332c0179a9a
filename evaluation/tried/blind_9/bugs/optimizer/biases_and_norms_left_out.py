"""Weights are picked for weight decay, and the second group, of biases and norms without decay, is never given to the optimizer."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.series_and_tables import orchards


class Residual(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, 2 * width)
        self.down = nn.Linear(2 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.down(torch.relu(self.up(self.norm(x))))


def groups(net: nn.Module, decay: float) -> list[dict[str, object]]:
    decayed = [p for p in net.parameters() if p.ndim > 1]
    others = [p for p in net.parameters() if p.ndim <= 1]
    return [{"params": decayed, "weight_decay": decay}, {"params": others, "weight_decay": 0.0}]


def _train(setting: Setting) -> None:
    trees, harvest = orchards(1500)
    harvest = 0.3 * harvest + 8
    net = nn.Sequential(nn.Linear(8, 24), Residual(24), Residual(24), nn.LayerNorm(24), nn.Linear(24, 1))
    parameters = groups(net, decay=0.05)
    optimizer = torch.optim.AdamW(parameters if setting.is_fixed else parameters[:1], lr=3e-3)
    with setting.watch(net):
        for epoch in range(5):
            for rows in torch.randperm(1500).split(50):
                loss = nn.functional.mse_loss(net(trees[rows]), harvest[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.3f}")


PROGRAM = Program(
    name="biases-and-norms-left-out",
    train=_train,
    source="GitHub issues on parameter groups with and without weight decay that do not cover the model",
    truth=Truth(
        rules=("not-in-optimizer", "never-updated"),
        nodes=(
            "model.0.bias",
            "model.3",
            "model.3.weight",
            "model.3.bias",
            "model.4.bias",
            *(f"model.{block}.{name}" for block in (1, 2) for name in ("norm", "norm.weight", "norm.bias", "up.bias", "down.bias")),
        ),
    ),
)
