"""An optimizer by hand divides each gradient by its norm. In step 37 nobody asks for an expert, whose gradient is then zero."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn

from evaluation.datasets import regression_table
from evaluation.program import Program, Setting, Truth


class NormedSGD(torch.optim.Optimizer):
    """Steps of the same length for each parameter, however long its gradient is."""

    def __init__(self, parameters: Iterable[nn.Parameter], lr: float, eps: float) -> None:
        super().__init__(parameters, {"lr": lr, "eps": eps})

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override] # noqa: ANN401, ARG002
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    length = parameter.grad.norm() + group["eps"]
                    parameter.sub_(group["lr"] * parameter.grad / length)


class Regions(nn.Module):
    """A hidden layer for all, and an output for each region."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden = nn.Sequential(nn.Linear(10, 32), nn.Tanh())
        self.outputs = nn.ModuleList([nn.Linear(32, 1) for _ in range(3)])

    def forward(self, x: Tensor, region: Tensor) -> Tensor:
        h = self.hidden(x)
        every = torch.cat([output(h) for output in self.outputs], dim=1)
        return (every * nn.functional.one_hot(region, 3)).sum(dim=1, keepdim=True)


def _train(setting: Setting) -> None:
    x, y = regression_table(3600)
    region = torch.randint(3, (3600,))
    y = y * (region[:, None] - 1)
    region[37 * 30 : 38 * 30] %= 2
    model = Regions()
    optimizer = NormedSGD(model.parameters(), lr=0.02, eps=1e-6 if setting.is_fixed else 0.0)
    with setting.watch(model):
        for step in range(120):
            rows = slice(30 * step, 30 * step + 30)
            loss = nn.functional.mse_loss(model(x[rows], region[rows]), y[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 20 == 19:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(
    name="steps-of-length-one",
    train=_train,
    source="GitHub issues on optimizers that normalize gradients of zero",
    truth=Truth(
        rules=("nan-origin",),
        nodes=("model.outputs.2", "model.outputs.2.weight", "model.outputs.2.bias", "model.outputs.2: output"),
        step=38,
    ),
)
