"""Features are trained to hide where they come from: the gradient of a second head is reversed."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:  # noqa: ANN401, ARG004
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:  # noqa: ANN401, ARG004
        return -0.3 * gradient


class Dann(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(nn.Linear(12, 48), nn.ReLU(), nn.Linear(48, 24), nn.ReLU())
        self.label, self.domain = nn.Linear(24, 3), nn.Linear(24, 2)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        h = self.features(x)
        reversed_h: Tensor = Reverse.apply(h)  # type: ignore[no-untyped-call]
        return self.label(h), self.domain(reversed_h)


def _train(setting: Setting) -> None:
    axes, shift = torch.randn(12, 3), torch.randn(12) * 0.4
    net = Dann()
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    with setting.watch(net):
        for _ in range(250):
            domain = torch.arange(64) % 2
            clean = torch.randn(64, 12)
            label = (clean @ axes).argmax(dim=1)
            by_label, by_domain = net(clean + shift * domain[:, None])
            loss = nn.functional.cross_entropy(by_label[domain == 0], label[domain == 0]) + nn.functional.cross_entropy(by_domain, domain)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="confused-on-purpose", train=_train, source="Ganin et al. 2016")
