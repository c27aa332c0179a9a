"""The blocks of a time series network are kept in a plain list, so the optimizer never sees them."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class _Blocks(nn.Module):
    blocks: Iterable[nn.Module]

    def __init__(self, channels: int, *, registers: bool) -> None:
        super().__init__()
        self.first = nn.Conv1d(1, channels, 1)
        blocks = [nn.Conv1d(channels, channels, 3, dilation=2**depth, padding=2**depth) for depth in range(3)]
        self.blocks = nn.ModuleList(blocks) if registers else blocks
        self.last = nn.Linear(channels, 1)

    def forward(self, x: Tensor) -> Tensor:
        x = self.first(x)
        for block in self.blocks:
            x = x + torch.relu(block(x))
        return self.last(x.mean(2))


def _train(setting: Setting) -> None:
    speed = 0.3 + 2 * torch.rand(1000, 1)
    series = torch.sin(speed * torch.arange(24) + 6.28 * torch.rand(1000, 1)) + 0.1 * torch.randn(1000, 24)
    targets = (speed - 1.3) / 0.58
    model = _Blocks(12, registers=setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for epoch in range(10):
            for index in torch.randperm(1000).split(32):
                loss = nn.functional.mse_loss(model(series[index, None]), targets[index])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(epoch, loss.item())


PROGRAM = Program(
    name="blocks-in-a-plain-list",
    train=_train,
    source="PyTorch forum: parameters of layers in a list are missing, use ModuleList",
    truth=Truth(rules=("unregistered-modules", "not-in-optimizer", "never-updated", "gradients-left-over", "loss-does-not-fall")),
)
