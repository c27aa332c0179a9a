"""Sixteen residual blocks add up without a norm, and their weights are twice as large as He's: values double from block to block."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import regression_table
from evaluation.program import Program, Setting, Truth


class _Block(nn.Module):
    def __init__(self, is_fixed: bool) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(32) if is_fixed else nn.Identity()
        self.up = nn.Linear(32, 32)
        self.down = nn.Linear(32, 32)
        if not is_fixed:
            nn.init.normal_(self.up.weight, std=2 * (2 / 32) ** 0.5)
            nn.init.normal_(self.down.weight, std=(2 / 32) ** 0.5)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.down(torch.relu(self.up(self.norm(x))))


class _Deep(nn.Module):
    def __init__(self, is_fixed: bool) -> None:
        super().__init__()
        self.stem = nn.Linear(10, 32)
        self.blocks = nn.ModuleList(_Block(is_fixed) for _ in range(16))
        self.out = nn.Linear(32, 1)

    def forward(self, x: Tensor) -> Tensor:
        x = self.stem(x)
        for block in self.blocks:
            x = block(x)
        return self.out(x)


def _train(setting: Setting) -> None:
    inputs, targets = regression_table(count=1200)
    model = _Deep(setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for epoch in range(6):
            for chosen in torch.randperm(1200).split(40):
                loss = nn.functional.mse_loss(model(inputs[chosen]), targets[chosen])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(epoch, loss.item())


PROGRAM = Program(
    name="residual-sum-without-norm",
    train=_train,
    source="Humbatova et al. 2020: missing normalization layer; Zhang, Dauphin and Ma 2019 (Fixup): residual networks explode",
    truth=Truth(
        rules=(
            "growing-with-depth",
            "initial-loss",
            "exploding-gradient",
            "runaway-growth",
            "near-overflow",
            "updates-too-large",
            "loss-does-not-fall",
            "predictions-ignore-input",
            "logit-growth",
            "nan-origin",
            "diverging-loss",
            "oscillating-loss",
        ),
    ),
)
