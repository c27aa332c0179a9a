"""A trained network is frozen and adapted by products of two thin matrices, of which one begins at zero."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import class_blobs
from evaluation.program import Program, Setting


class LowRank(nn.Module):
    def __init__(self, frozen: nn.Linear, rank: int = 4) -> None:
        super().__init__()
        self.frozen = frozen.requires_grad_(False)
        self.a = nn.Parameter(torch.randn(rank, frozen.in_features) / frozen.in_features**0.5)
        self.b = nn.Parameter(torch.zeros(frozen.out_features, rank))

    def forward(self, x: Tensor) -> Tensor:
        return self.frozen(x) + 2.0 * (x @ self.a.T) @ self.b.T


def network() -> nn.Sequential:
    return nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 5))


def steps(net: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, labels: Tensor, count: int) -> None:
    for step in range(count):
        rows = torch.randint(len(inputs), (50,))
        loss = nn.functional.cross_entropy(net(inputs[rows]), labels[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 40 == 39:
            print(f"{step}: {loss.item():.3f}")


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs()
    net = network()
    steps(net, torch.optim.Adam(net.parameters(), lr=3e-3), inputs, labels, 150)

    # The new task: two columns have changed their places, and the classes their order.
    inputs = inputs[:, [1, 0, *range(2, 20)]]
    labels = (labels + 1) % 5
    adapted = nn.Sequential(*(LowRank(layer) if isinstance(layer, nn.Linear) else layer for layer in net))
    trained = [parameter for parameter in adapted.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=5e-3)
    with setting.watch(adapted):
        steps(adapted, optimizer, inputs, labels, 200)


PROGRAM = Program(name="low-rank-beside-frozen", train=_train, source="Hu et al. 2022, LoRA")
