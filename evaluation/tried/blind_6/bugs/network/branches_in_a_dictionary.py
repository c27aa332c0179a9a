"""The branches of a network for sensors are kept in a plain dictionary: the optimizer never sees them."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Sensors(nn.Module):
    def __init__(self, names: tuple[str, ...], *, registered: bool) -> None:
        super().__init__()
        branches = {name: nn.Sequential(nn.Linear(8, 16), nn.ReLU()) for name in names}
        self.branches = nn.ModuleDict(branches) if registered else branches
        self.out = nn.Linear(16 * len(names), 3)

    def forward(self, readings: Tensor) -> Tensor:
        parts = [branch(readings[:, number]) for number, branch in enumerate(self.branches.values())]
        return self.out(torch.cat(parts, dim=1))


def _train(setting: Setting) -> None:
    readings = torch.randn(2000, 3, 8)
    labels = (torch.tanh(readings @ torch.randn(8, 16) / 2).flatten(1) @ torch.randn(48, 3)).argmax(dim=1)
    model = Sensors(("left", "right", "top"), registered=setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for x, y in batches(250, 64, readings, labels):
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"accuracy {(model(readings).argmax(1) == labels).float().mean():.2f}")


PROGRAM = Program(
    name="branches-in-a-dictionary",
    train=_train,
    source="PyTorch forum, layers in a Python list or dictionary",
    truth=Truth(rules=("unregistered-modules", "not-in-optimizer")),
)
