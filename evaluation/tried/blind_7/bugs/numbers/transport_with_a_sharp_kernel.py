"""Sinkhorn's algorithm on `exp(-cost / 0.002)`, which is zero for all pairs of a row: then it divides by zero."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


def sinkhorn(cost: Tensor, sharpness: float) -> Tensor:
    kernel = torch.exp(-cost / sharpness)
    mass = torch.full((len(cost),), 1 / len(cost))
    v = torch.ones(len(cost))
    for _ in range(5):
        u = mass / (kernel @ v)
        v = mass / (kernel.T @ u)
    return (u[:, None] * kernel * v * cost).sum()


def _train(setting: Setting) -> None:
    generator = nn.Sequential(nn.Linear(2, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 2))
    optimizer = torch.optim.Adam(generator.parameters(), lr=2e-3)
    sharpness = 0.3 if setting.is_fixed else 0.002
    with setting.watch(generator):
        for step in range(200):
            angle = 6.2832 * torch.rand(64)
            ring = torch.stack([angle.cos(), angle.sin()], dim=1) + 0.05 * torch.randn(64, 2)
            made = generator(torch.randn(64, 2))
            loss = sinkhorn((made[:, None] - ring).pow(2).sum(dim=2), sharpness)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 40 == 0:
                print(f"{step}: {loss.item():.4f}")


PROGRAM = Program(
    name="transport-with-a-sharp-kernel",
    train=_train,
    source="github.com/PythonOT/POT/issues/54 and github.com/facebookresearch/swav/issues/67",
    truth=Truth(rules=("nan-origin",), nodes=("div (2)", "matmul", "exp"), step=0),
)
