"""The number of visitors is rounded before the loss, and the gradient of rounding is zero."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class _Visitors(nn.Module):
    def __init__(self, is_fixed: bool) -> None:
        super().__init__()
        self.is_fixed = is_fixed
        self.day = nn.Linear(7, 32)
        self.count = nn.Linear(32, 1)
        nn.init.constant_(self.count.bias, 3.0)

    def forward(self, day: Tensor) -> Tensor:
        count = self.count(torch.relu(self.day(day)))
        return count if self.is_fixed else count.round()


def _train(setting: Setting) -> None:
    days = torch.randn(1000, 7)
    visitors = (3 + days[:, :1] + days[:, 1:2].relu()).round().clamp(min=0)
    model = _Visitors(setting.is_fixed)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
    with setting.watch(model):
        for epoch in range(8):
            for chosen in torch.randperm(1000).split(25):
                optimizer.zero_grad()
                loss = nn.functional.mse_loss(model(days[chosen]), visitors[chosen])
                loss.backward()
                optimizer.step()
            print(epoch, loss.item())


PROGRAM = Program(
    name="visitors-are-rounded",
    train=_train,
    source="PyTorch forum: torch.round in the forward pass, the weights never change",
    truth=Truth(
        rules=(
            "zero-gradient",
            "cut-path",
            "never-updated",
            "no-gradient",
            "loss-does-not-fall",
            "vanishing-gradient",
            "updates-too-small",
            "frozen-as-initialized",
            "predictions-ignore-input",
        ),
        nodes=("model: output", "model.count", "model.day"),
    ),
)
