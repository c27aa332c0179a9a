"""The gate of a mixture of experts takes its softmax over the samples (`dim=0`) instead of the experts."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, regression_table
from evaluation.program import Program, Setting, Truth


class Mixture(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.gate = nn.Sequential(nn.Linear(10, 6), nn.Softmax(dim=dim))
        self.experts = nn.ModuleList(nn.Sequential(nn.Linear(10, 16), nn.Tanh(), nn.Linear(16, 1)) for _ in range(6))

    def forward(self, x: Tensor) -> Tensor:
        share = self.gate(x)
        answers = torch.cat([expert(x) for expert in self.experts], dim=1)
        return (share * answers).sum(dim=1, keepdim=True)


def _train(setting: Setting) -> None:
    x, y = regression_table(1600, 10)
    y = y + x[:, :1] * (x[:, 1:2] > 0)
    moe = Mixture(1 if setting.is_fixed else 0)
    opt = torch.optim.Adam(moe.parameters(), lr=5e-3)
    with setting.watch(moe):
        for some, wanted in batches(250, 64, x, y):
            opt.zero_grad()
            nn.functional.mse_loss(moe(some), wanted).backward()
            opt.step()


PROGRAM = Program(
    name="experts-compete-for-samples",
    train=_train,
    source="Stack Overflow 49036993, the dimension of a softmax; Humbatova et al. 2020, wrong axis",
    truth=Truth(rules=("softmax-over-batch",), nodes=("model.gate.1: output", "model.gate.1", "model.gate: output", "model.gate")),
)
