"""`sigmoid(relu(x))` is never below one half, so the network cannot say no."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class WillPay(nn.Module):
    def __init__(self, is_fixed: bool) -> None:
        super().__init__()
        self.customer = nn.Linear(12, 40)
        self.history = nn.Linear(6, 24)
        self.join = nn.Linear(64, 32)
        self.out = nn.Linear(32, 1)
        self.final = nn.Identity() if is_fixed else nn.ReLU()

    def forward(self, customer: Tensor, history: Tensor) -> Tensor:
        both = torch.cat([F.relu(self.customer(customer)), F.relu(self.history(history))], dim=1)
        return torch.sigmoid(self.final(self.out(F.relu(self.join(both))))).squeeze(1)


def _train(setting: Setting) -> None:
    w, v = torch.randn(12), torch.randn(6)
    model = WillPay(setting.is_fixed)
    opt = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for step in range(250):
            customer, history = torch.randn(50, 12), torch.randn(50, 6)
            paid = (customer @ w + (history @ v).abs() * 1.5 > 1).float()
            p = model(customer, history)
            loss = F.binary_cross_entropy(p, paid)
            opt.zero_grad()
            loss.backward()
            opt.step()
            if step % 50 == 0:
                print(step, ((p > 0.5) == (paid > 0.5)).float().mean().item())


PROGRAM = Program(
    name="never-a-clear-no",
    train=_train,
    source="Stack Overflow, a ReLU before the sigmoid; TheDeepChecker, redundant activation",
    truth=Truth(
        rules=("activation-after-activation", "target-out-of-range"),
        nodes=("model.final", "model.final: output", "model.out: output", "model.out", "model: output"),
    ),
)
