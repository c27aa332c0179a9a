"""Colors are corrected with `x ** (1 / 2.2)`, and a network can say negative colors."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Developer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.mix = nn.Conv2d(3, 12, 3, padding=1)
        self.colors = nn.Conv2d(12, 3, 1)

    def forward(self, raw: Tensor) -> Tensor:
        return self.colors(self.mix(raw).relu())


def _train(setting: Setting) -> None:
    light = torch.rand(400, 3, 8, 8)
    pictures = (0.2 + 0.7 * light).pow(1 / 2.2)
    raw = (light - 0.5) * 3 + 0.1 * torch.randn(400, 3, 8, 8)
    net = Developer()
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    with setting.watch(net):
        for x, y in batches(150, 20, raw, pictures):
            linear = net(x)
            if setting.is_fixed:
                linear = linear.clamp(min=1e-3)
            loss = nn.functional.l1_loss(linear ** (1 / 2.2), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="power-of-a-negative",
    train=_train,
    source="PyTorch forum, pow with a fractional exponent returns nan",
    truth=Truth(rules=("nan-origin",), nodes=("pow", "model: output", "model.colors: output", "model.colors", "model"), step=0),
)
