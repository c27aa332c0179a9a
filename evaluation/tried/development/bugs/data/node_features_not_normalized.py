"""A graph network whose node features are counts up to 10,000, and whose neighbours are summed."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class GraphNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(6, 32)
        self.second = nn.Linear(32, 32)
        self.head = nn.Linear(32, 2)

    def forward(self, nodes: Tensor, edges: Tensor) -> Tensor:
        x = torch.relu(self.first(edges @ nodes))
        x = torch.relu(self.second(edges @ x))
        return self.head(x.mean(dim=1))


def _train(setting: Setting) -> None:
    counts = 10_000 * torch.rand(1500, 10, 6) ** 4
    sizes = torch.log1p(counts).mean(dim=1)
    labels = (sizes[:, 0] > sizes[:, 1]).long()
    edges = (torch.rand(1500, 10, 10) < 0.2).float() + torch.eye(10)
    if setting.is_fixed:
        counts = (torch.log1p(counts) - 6) / 2
    model = GraphNet()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for nodes, links, y in batches(600, 32, counts, edges, labels):
            loss = nn.functional.cross_entropy(model(nodes, links), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="node-features-not-normalized",
    train=_train,
    source="Stack Overflow 44066044",
    truth=Truth(rules=("input-not-normalized",), nodes=("model: input nodes",)),
)
