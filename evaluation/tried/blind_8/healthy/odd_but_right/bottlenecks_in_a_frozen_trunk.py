"""A trunk that has learned another task is frozen, and small bottlenecks between its layers are trained for a new one."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting


class Bottleneck(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.down, self.up = nn.Linear(32, 6), nn.Linear(6, 32)
        nn.init.zeros_(self.up.weight)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.up(torch.relu(self.down(x)))


def _train(setting: Setting) -> None:
    x = torch.randn(1500, 8)
    hidden = torch.tanh(x @ torch.randn(8, 12) / 3)
    old, new = hidden @ torch.randn(12, 1), hidden @ torch.randn(12, 1)
    lower, middle, head = nn.Linear(8, 32), nn.Linear(32, 32), nn.Linear(32, 1)
    before = nn.Sequential(lower, nn.ReLU(), middle, nn.ReLU(), head)
    pretraining = torch.optim.Adam(before.parameters(), lr=5e-3)
    for some, wanted in batches(250, 50, x, old):
        pretraining.zero_grad()
        nn.functional.mse_loss(before(some), wanted).backward()
        pretraining.step()
    for layer in (lower, middle):
        layer.requires_grad_(False)
    model = nn.Sequential(lower, nn.ReLU(), Bottleneck(), middle, nn.ReLU(), Bottleneck(), nn.Linear(32, 1))
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=5e-3)
    with setting.watch(model):
        for some, wanted in batches(200, 50, x, new):
            loss = nn.functional.mse_loss(model(some), wanted)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="bottlenecks-in-a-frozen-trunk", train=_train, source="Houlsby et al. 2019")
