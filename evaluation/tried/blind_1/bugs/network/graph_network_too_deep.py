"""Twenty rounds of averaging over neighbours make all nodes of a graph alike."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class Gcn(nn.Module):
    def __init__(self, rounds: int) -> None:
        super().__init__()
        self.embed = nn.Linear(8, 32)
        self.layers = nn.ModuleList(nn.Linear(32, 32) for _ in range(rounds))
        self.out = nn.Linear(32, 3)

    def forward(self, nodes: Tensor, adjacency: Tensor) -> Tensor:
        x = torch.relu(self.embed(nodes))
        for layer in self.layers:
            x = torch.relu(layer(adjacency @ x))
        return self.out(x)


def _train(setting: Setting) -> None:
    groups = torch.randint(0, 3, (120,))
    likely = torch.where(groups[:, None] == groups, 0.15, 0.03)
    edges = (torch.rand(120, 120) < likely).float()
    edges = ((edges + edges.T + torch.eye(120)) > 0).float()
    adjacency = edges / edges.sum(dim=1, keepdim=True)
    nodes = torch.randn(120, 8) + 0.8 * torch.randn(3, 8)[groups]
    model = Gcn(rounds=2 if setting.is_fixed else 20)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    is_known = torch.rand(120) < 0.5
    with setting.watch(model):
        for _ in range(400):
            noisy = nodes + 0.2 * torch.randn(120, 8)
            loss = nn.functional.cross_entropy(model(noisy, adjacency)[is_known], groups[is_known])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="graph-network-too-deep",
    train=_train,
    source="Li et al. 2018, Deeper Insights into Graph Convolutional Networks (oversmoothing)",
    truth=Truth(
        rules=("same-for-all-samples", "same-for-all-tokens", "vanishing-gradient"),
        nodes=("model.out", "model.out: output", *(f"model.layers.{k}" for k in range(20)), "model.embed", "model: output"),
    ),
)
