"""A group lasso takes the square root of the squares of weights that begin at zero, where the root has an infinite slope."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class WideAndNarrow(nn.Module):
    """A network of the known columns, and a sparse linear correction by 40 others."""

    def __init__(self) -> None:
        super().__init__()
        self.narrow = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 2))
        self.wide = nn.Linear(40, 2, bias=False)
        nn.init.zeros_(self.wide.weight)

    def forward(self, known: Tensor, others: Tensor) -> Tensor:
        return self.narrow(known) + self.wide(others)


def _train(setting: Setting) -> None:
    known, others = torch.randn(1200, 6), torch.randn(1200, 40)
    y = torch.tanh(known @ torch.randn(6, 2)) + others[:, :3] @ torch.randn(3, 2) * 0.7 + 0.1 * torch.randn(1200, 2)
    model = WideAndNarrow()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.8)
    epsilon = 1e-8 if setting.is_fixed else 0
    with setting.watch(model):
        for a, b, target in batches(240, 48, known, others, y):
            fit = nn.functional.mse_loss(model(a, b), target)
            groups = torch.sqrt(model.wide.weight.pow(2).sum(dim=0) + epsilon)
            loss = fit + 0.01 * groups.sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="group-lasso-from-zero",
    train=_train,
    source="PyTorch forum, the gradient of sqrt at zero is NaN; implementations of group lasso",
    truth=Truth(rules=("nan-origin",), nodes=("sqrt", "model.wide.weight", "model.wide"), step=0),
)
