"""A rate is the exponential of a sum. In step 41 somebody entered metres instead of thousands of kilometres: it is infinite."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class ClaimRate(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 1)

    def forward(self, driver: Tensor) -> Tensor:
        return torch.exp(self.linear(driver)).squeeze(1)


def _train(setting: Setting) -> None:
    drivers = torch.randn(3200, 4)
    drivers[:, 0] = 3 * torch.rand(3200)
    rate = torch.exp(0.6 * drivers[:, 0] + 0.3 * drivers[:, 1] - 0.2 * drivers[:, 2] - 0.5)
    claims = torch.poisson(rate)
    drivers[41 * 32 + 7, 0] = 1.4e6
    if setting.is_fixed:
        drivers = drivers.clamp(-5, 5)
    model = ClaimRate()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
    with setting.watch(model):
        for step in range(100):
            rows = slice(step * 32, step * 32 + 32)
            loss = nn.functional.poisson_nll_loss(model(drivers[rows]), claims[rows], log_input=False)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 20 == 19:
                print(step, loss.item())


PROGRAM = Program(
    name="kilometres-in-metres",
    train=_train,
    source="Forum questions on exp that overflows in Poisson regression; Humbatova et al. 2020, outliers in the data",
    truth=Truth(rules=("nan-origin",), nodes=("model", "model: output", "model.linear: output", "poisson_nll_loss"), step=41),
)
