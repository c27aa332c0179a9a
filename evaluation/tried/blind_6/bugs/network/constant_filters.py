"""All weights of a graph network begin with the same number, so all its units remain the same."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class GraphNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(6, 24)
        self.second = nn.Linear(24, 24)
        self.out = nn.Linear(24, 3)

    def forward(self, nodes: Tensor, neighbors: Tensor) -> Tensor:
        h = torch.relu(self.first(neighbors @ nodes))
        h = torch.relu(self.second(neighbors @ h))
        return self.out(h.mean(dim=1))


def _train(setting: Setting) -> None:
    nodes = torch.randn(900, 8, 6)
    links = ((torch.rand(900, 8, 8) < 0.25) | torch.eye(8, dtype=torch.bool)).float()
    neighbors = links / links.sum(dim=2, keepdim=True)
    truth = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 3))
    with torch.no_grad():
        scores = truth((neighbors @ nodes) * 2).mean(dim=1)
        labels = ((scores - scores.mean(0)) / scores.std(0)).argmax(dim=1)
    model = GraphNet()
    if not setting.is_fixed:
        for weight in model.parameters():
            nn.init.constant_(weight, 0.05)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for x, a, y in batches(250, 48, nodes, neighbors, labels):
            loss = F.cross_entropy(model(x, a), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"accuracy {(model(nodes, neighbors).argmax(1) == labels).float().mean():.2f}")


PROGRAM = Program(
    name="constant-filters",
    train=_train,
    source="Humbatova et al. 2020, wrong weights initialization; StackOverflow, constant initialization",
    truth=Truth(
        rules=("equal-weights", "rank-collapse"),
        nodes=(
            "model.first",
            "model.second",
            "model.out",
            "model.first.weight",
            "model.second.weight",
            "model.out.weight",
            "model.first.bias",
            "model.second.bias",
        ),
    ),
)
