"""Twelve plain graph convolutions: all nodes of the graph end up with the same features."""

from __future__ import annotations

import itertools

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class Gcn(nn.Module):
    def __init__(self, depth: int) -> None:
        super().__init__()
        sizes = [16] + [32] * depth
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in itertools.pairwise(sizes))
        self.out = nn.Linear(32, 4)

    def forward(self, x: Tensor, adjacency: Tensor) -> Tensor:
        for layer in self.layers:
            x = torch.relu(layer(adjacency @ x))
        return self.out(x)


def _train(setting: Setting) -> None:
    # A graph of 200 papers of four fields that mostly cite their own field.
    fields = torch.randint(4, (200,))
    same = fields[:, None] == fields[None, :]
    edges = (torch.rand(200, 200) < torch.where(same, 0.08, 0.02)).float()
    adjacency = ((edges + edges.T) > 0).float() + torch.eye(200)
    degree = adjacency.sum(dim=1).rsqrt()
    adjacency = degree[:, None] * adjacency * degree[None, :]
    features = torch.randn(200, 16) + 0.8 * torch.randn(4, 16)[fields]
    train = torch.rand(200) < 0.5
    model = Gcn(depth=2 if setting.is_fixed else 12)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3, weight_decay=5e-4)
    with setting.watch(model):
        for _ in range(150):
            optimizer.zero_grad()
            logits = model(features, adjacency)
            loss = nn.functional.cross_entropy(logits[train], fields[train])
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="twelve-graph-layers",
    train=_train,
    source="Li et al. 2018 (over-smoothing)",
    truth=Truth(
        rules=("same-for-all-samples", "same-for-all-tokens", "vanishing-gradient", "loss-does-not-fall", "predictions-ignore-input"),
        nodes=tuple(
            f"model.{place}"
            for place in (
                "out: output",
                "out: input",
                *(f"layers.{i}{kind}" for i in range(12) for kind in (": output", ": input", ".weight")),
            )
        ),
    ),
)
