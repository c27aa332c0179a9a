"""The scales of the residual branches begin at 1e-5, as in very deep networks. But they are buffers, so they can never grow."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Block(nn.Module):
    def __init__(self, scale: float) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(32)
        self.mlp = nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.Linear(64, 32))
        self.register_buffer("scale", torch.tensor(scale))

    def forward(self, x: Tensor) -> Tensor:
        return x + self.scale * self.mlp(self.norm(x))


def _train(setting: Setting) -> None:
    inputs, targets = torch.rand(3000, 4) * 4 - 2, torch.zeros(3000, 1)
    targets = torch.sin(2 * inputs[:, :1]) * torch.cos(inputs[:, 1:2]) + 0.5 * torch.sin(2 * inputs[:, 2:3])
    scale = 0.5 if setting.is_fixed else 1e-5
    model = nn.Sequential(nn.Linear(4, 32), Block(scale), Block(scale), nn.Linear(32, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for x, y in batches(250, 64, inputs, targets):
            loss = F.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"explained {1 - F.mse_loss(model(inputs), targets) / targets.var():.2f}")


PROGRAM = Program(
    name="gates-that-stay-shut",
    train=_train,
    source="GitHub issues of vision transformers, layer scale registered as a buffer; Touvron et al. 2021",
    truth=Truth(
        rules=("branch-without-effect", "vanishing-gradient"),
        nodes=(
            "model.1",
            "model.2",
            "model.1.mlp",
            "model.2.mlp",
            "model.1.mlp.2",
            "model.2.mlp.2",
            "model.1.mlp.0",
            "model.2.mlp.0",
            "model.1.norm",
            "model.2.norm",
            "model.1: output",
            "model.2: output",
        ),
    ),
)
