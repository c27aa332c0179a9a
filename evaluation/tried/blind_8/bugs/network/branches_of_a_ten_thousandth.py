"""The branches are scaled by 0.0001 and the factor is a constant, not a parameter: only the linear path is left."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.series_and_tables import orchards


class Scaled(nn.Module):
    def __init__(self, scale: float) -> None:
        super().__init__()
        self.scale = scale
        self.norm = nn.LayerNorm(32)
        self.inner, self.outer = nn.Linear(32, 64), nn.Linear(64, 32)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.scale * self.outer(torch.nn.functional.gelu(self.inner(self.norm(x))))


def _train(setting: Setting) -> None:
    trees, yields = orchards(1800)
    scale = 1.0 if setting.is_fixed else 1e-4
    net = nn.Sequential(nn.Linear(8, 32), *(Scaled(scale) for _ in range(4)), nn.Linear(32, 1))
    optimizer = torch.optim.AdamW(net.parameters(), lr=2e-3)
    with setting.watch(net):
        for step, (x, y) in enumerate(batches(260, 45, trees, yields)):
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
            if step % 65 == 64:
                print(f"step {step}: {loss.item():.3f}")


PROGRAM = Program(
    name="branches-of-a-ten-thousandth",
    train=_train,
    source="Touvron et al. 2021 on LayerScale, whose factors are learned",
    truth=Truth(
        rules=("branch-without-effect",),
        nodes=tuple(f"model.{i}{what}" for i in range(1, 5) for what in ("", ": output", ".outer", ".outer: output", ".inner", ".norm")),
    ),
)
