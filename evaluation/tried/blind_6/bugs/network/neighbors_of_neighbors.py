"""A graph network averages over neighbors sixteen times, without a way around: in the end all nodes are the same."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.program import Program, Setting, Truth


class Graph(nn.Module):
    def __init__(self, layers: int) -> None:
        super().__init__()
        self.embed = nn.Linear(16, 32)
        self.layers = nn.ModuleList(nn.Linear(32, 32) for _ in range(layers))
        self.out = nn.Linear(32, 4)

    def forward(self, nodes: Tensor, neighbors: Tensor) -> Tensor:
        h = torch.relu(self.embed(nodes))
        for layer in self.layers:
            h = torch.relu(layer(neighbors @ h))
        return self.out(h)


def _train(setting: Setting) -> None:
    kind = torch.randint(4, (240,))
    nodes = 0.9 * torch.randn(4, 16)[kind] + torch.randn(240, 16)
    same = kind[:, None] == kind
    links = torch.rand(240, 240) < torch.where(same, 0.06, 0.02)
    neighbors = (links | links.T | torch.eye(240, dtype=torch.bool)).float()
    neighbors = neighbors / neighbors.sum(dim=1, keepdim=True)
    is_known = torch.rand(240) < 0.5
    model = Graph(2 if setting.is_fixed else 16)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for _ in range(120):
            logits = model(nodes, neighbors)
            loss = F.cross_entropy(logits[is_known], kind[is_known])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"accuracy {(logits.argmax(1) == kind)[~is_known].float().mean():.2f}")


PROGRAM = Program(
    name="neighbors-of-neighbors",
    train=_train,
    source="Li et al. 2018, oversmoothing; forums on deep graph networks",
    truth=Truth(
        rules=("same-for-all-samples", "same-for-all-tokens", "predictions-ignore-input", "vanishing-gradient"),
        nodes=(
            "model.out: output",
            "model.out",
            "model.layers",
            "model.layers.15",
            "model.layers.14",
            "model.layers.13",
            "model.layers.12",
            "model.layers.11",
            "model.layers.10",
            "model.layers.9",
            "model.layers.8",
            "model.layers.7",
            "model.layers.6",
            "model.layers.5",
            "model.layers.4",
            "model.layers.3",
            "model.embed",
        ),
    ),
)
