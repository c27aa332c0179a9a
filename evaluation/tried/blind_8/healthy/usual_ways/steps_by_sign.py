"""An optimizer of our own, which steps by the sign of a moving average, as Lion does."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting


class Lion(torch.optim.Optimizer):
    def __init__(self, parameters: Iterable[Tensor], lr: float, decay: float) -> None:
        super().__init__(parameters, {"lr": lr, "decay": decay})

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> float | None:  # type: ignore[override]
        loss = None if closure is None else closure()
        for group in self.param_groups:
            for parameter in group["params"]:
                state = self.state[parameter]
                average = state.setdefault("average", torch.zeros_like(parameter))
                parameter.mul_(1 - group["lr"] * group["decay"])
                parameter.sub_(average.lerp(parameter.grad, 0.1).sign(), alpha=group["lr"])
                average.lerp_(parameter.grad, 0.01)
        return loss


def _train(setting: Setting) -> None:
    x, y = class_blobs(2000)
    net = nn.Sequential(nn.Linear(20, 64), nn.LayerNorm(64), nn.ReLU(), nn.Linear(64, 64), nn.LayerNorm(64), nn.ReLU(), nn.Linear(64, 5))
    optimizer = Lion(net.parameters(), lr=5e-4, decay=0.1)
    with setting.watch(net):
        for some, label in batches(240, 50, x, y):
            loss = nn.functional.cross_entropy(net(some), label)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="steps-by-sign", train=_train, source="Chen et al. 2023 (Lion)")
