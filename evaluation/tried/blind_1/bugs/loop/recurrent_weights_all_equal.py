"""All weights of a GRU are set to 0.1, a value from a debugging session, so its 32 units are copies of one."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Adder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gru = nn.GRU(2, 32, batch_first=True)
        self.out = nn.Linear(32, 1)

    def forward(self, x: Tensor) -> Tensor:
        return self.out(self.gru(x)[1][0])


def _train(setting: Setting) -> None:
    values = 2 * torch.rand(1600, 8, 2) - 1
    goals = (values[:, :, 0] * values[:, :, 1]).sum(dim=1, keepdim=True)
    model = Adder()
    if not setting.is_fixed:
        for parameter in model.parameters():
            nn.init.constant_(parameter, 0.1)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for x, y in batches(450, 32, values, goals):
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="recurrent-weights-all-equal",
    train=_train,
    source="DeepCrime (weights initialised with a constant)",
    truth=Truth(
        rules=("equal-weights",),
        nodes=("model.gru", "model.gru.weight_ih_l0", "model.gru.weight_hh_l0", "model.out", "model.out.weight"),
    ),
)
