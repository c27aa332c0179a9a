"""Both matrices of low-rank adapters begin with zeros, so neither ever gets a gradient."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Adapted(nn.Module):
    def __init__(self, base: nn.Linear, rank: int, is_fixed: bool) -> None:
        super().__init__()
        self.base = base.requires_grad_(False)
        self.a = nn.Parameter(torch.zeros(rank, base.in_features))
        self.b = nn.Parameter(torch.zeros(base.out_features, rank))
        if is_fixed:
            nn.init.normal_(self.a, std=base.in_features**-0.5)

    def forward(self, x: Tensor) -> Tensor:
        return self.base(x) + x @ self.a.T @ self.b.T


def _train(setting: Setting) -> None:
    x = torch.randn(1600, 12)
    direction = torch.randn(12, 24)
    labels = torch.tanh(x @ direction / 3) @ torch.randn(24, 4)
    model = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 4))
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    for inputs, y in batches(200, 50, x, labels.argmax(dim=1)):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(inputs), y).backward()
        optimizer.step()

    # The new task: the same classes, with two features swapped.
    swapped = x[:, [1, 0, 3, 2, *range(4, 12)]]
    for i in (0, 2):
        layer = model[i]
        assert isinstance(layer, nn.Linear)
        model[i] = Adapted(layer, 4, setting.is_fixed)
    model[4].requires_grad_(False)
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=5e-3)
    with setting.watch(model):
        for inputs, y in batches(250, 32, swapped, labels.argmax(dim=1)):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(inputs), y)
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="both-adapters-zero",
    train=_train,
    source="Hu et al. 2021 (LoRA: only one of both matrices is zero)",
    truth=Truth(
        rules=("zero-gradient", "equal-weights", "never-updated"),
        nodes=tuple(f"model.{i}{name}" for i in (0, 2) for name in (".a", ".b", "")),
    ),
)
