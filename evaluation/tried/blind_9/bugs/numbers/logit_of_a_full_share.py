"""Shares are learned as their logit. In step 83 one share is exactly 1, and its logit is infinite."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import regression_table
from evaluation.program import Program, Setting, Truth


def logit(share: Tensor) -> Tensor:
    return torch.log(share / (1 - share))


class ShareModel(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.hidden = nn.Linear(10, 32)
        self.out = nn.Linear(32, 1)

    def forward(self, x: Tensor) -> Tensor:
        return self.out(nn.functional.softplus(self.hidden(x)))


def _train(setting: Setting) -> None:
    table, value = regression_table(3000)
    share = torch.sigmoid(1.5 * value).clamp(0.01, 0.99)
    share[83 * 20 + 3] = 1.0
    if setting.is_fixed:
        share = share.clamp(0.005, 0.995)
    model = ShareModel()
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for step, (x, y) in enumerate(zip(table.split(20), share.split(20), strict=True)):
            loss = nn.functional.mse_loss(model(x), logit(y))
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optimizer.step()
            if step % 30 == 29:
                print(step, f"{loss.item():.3f}")


PROGRAM = Program(
    name="logit-of-a-full-share",
    train=_train,
    source="Forum questions on logits of 0 and 1; Humbatova et al. 2020, invalid values in targets",
    truth=Truth(rules=("nan-origin",), nodes=("mse_loss: target", "mse_loss"), step=83),
)
