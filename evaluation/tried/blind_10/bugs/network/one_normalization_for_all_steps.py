"""Steps of a table network were to share a linear layer. They share its batch normalization too, which sees three distributions."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import clients


class Step(nn.Module):
    """The shared layer, a gate of its own, and a layer of its own."""

    def __init__(self, shared: nn.Linear, norm: nn.BatchNorm1d, width: int) -> None:
        super().__init__()
        self.gate = nn.Linear(width, width)
        self.shared = shared
        self.norm = norm
        self.own = nn.Linear(width, width)

    def forward(self, x: Tensor) -> Tensor:
        x = x * torch.sigmoid(self.gate(x))
        return x + self.own(torch.relu(self.norm(self.shared(x))))


class TableNet(nn.Module):
    def __init__(self, features: int, one_norm: bool, width: int = 32) -> None:
        super().__init__()
        self.embed = nn.Linear(features, width)
        shared, norm = nn.Linear(width, width, bias=False), nn.BatchNorm1d(width)
        self.steps = nn.ModuleList([Step(shared, norm if one_norm else nn.BatchNorm1d(width), width) for _ in range(3)])
        self.head = nn.Linear(width, 2)

    def forward(self, x: Tensor) -> Tensor:
        x = self.embed(x)
        for step in self.steps:
            x = step(x)
        return self.head(x)


def _train(setting: Setting) -> None:
    table, stays = clients(2000)
    model = TableNet(12, one_norm=not setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for step in range(140):
            rows = torch.randint(2000, (64,))
            loss = nn.functional.cross_entropy(model(table[rows]), stays[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 35 == 34:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(
    name="one-normalization-for-all-steps",
    train=_train,
    source="GitHub issues on TabNet, batch normalizations shared along with linear layers",
    truth=Truth(
        rules=("tied-parameters",),
        nodes=tuple(f"model.steps.{n}.norm{part}" for n in range(3) for part in ("", ".weight", ".bias", ".running_mean", ".running_var")),
    ),
)
