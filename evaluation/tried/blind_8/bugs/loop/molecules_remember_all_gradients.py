"""Nothing sets the gradients to zero, so each step follows the sum of all gradients so far."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.series_and_tables import molecules


class SumNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.own, self.around = nn.Linear(4, 32), nn.Linear(4, 32)
        self.deep, self.out = nn.Linear(32, 32), nn.Linear(32, 1)

    def forward(self, kinds: Tensor, bonds: Tensor) -> Tensor:
        h = torch.relu(self.own(kinds) + self.around(bonds @ kinds))
        return self.out(torch.relu(self.deep(h)).mean(dim=1))


def _train(setting: Setting) -> None:
    kinds, bonds, energy = molecules(1600)
    net = SumNet()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    clear = setting.is_fixed
    with setting.watch(net):
        for step, (k, b, e) in enumerate(batches(300, 40, kinds, bonds, energy)):
            loss = nn.functional.mse_loss(net(k, b), e)
            loss.backward()
            optimizer.step()
            if clear:
                optimizer.zero_grad()
            if step % 50 == 49:
                print(f"step {step}: {loss.item():.3f}")


PROGRAM = Program(
    name="molecules-remember-all-gradients",
    train=_train,
    source="Humbatova et al. 2020, missing zero_grad; PyTorch forum",
    truth=Truth(rules=("gradients-left-over",), step=1),
)
