"""The rate of visitors is an exponential. At step 70 a line of the file has its columns shifted, and the exponential is infinite."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class Visitors(nn.Module):
    def __init__(self, largest: float) -> None:
        super().__init__()
        self.largest = largest
        self.log_rate = nn.Linear(6, 1)

    def forward(self, day: Tensor) -> Tensor:
        scores = self.log_rate(day).squeeze(1)
        return torch.exp(scores.clamp(-self.largest, self.largest))


def _train(setting: Setting) -> None:
    effect = torch.randn(6) / 4
    net = Visitors(8.0 if setting.is_fixed else float("inf"))
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    with setting.watch(net):
        for step in range(160):
            day = torch.randn(40, 6)
            visitors = torch.poisson(torch.exp(1 + day @ effect))
            if step == 70:
                # A postal code stands where the temperature belongs, once with each sign of the weight.
                day[0, 1], day[1, 1] = 80331.0, -80331.0
                day[2, 2], day[3, 2] = 80331.0, -80331.0
            rate = net(day)
            loss = nn.functional.poisson_nll_loss(rate, visitors, log_input=False)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            if step % 40 == 39:
                print(f"step {step}: {loss.item():.3f}")


PROGRAM = Program(
    name="visitors-in-the-wrong-column",
    train=_train,
    source="PyTorch forum, poisson_nll_loss is inf; Humbatova et al. 2020, training data: wrong format",
    truth=Truth(rules=("nan-origin",), nodes=("model: output", "poisson_nll_loss"), step=70),
)
