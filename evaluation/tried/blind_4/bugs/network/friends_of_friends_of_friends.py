"""A graph network has 16 layers that average over neighbours, and all nodes end up with the same features."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class _GCN(nn.Module):
    adjacency: Tensor

    def __init__(self, adjacency: Tensor, layers: int) -> None:
        super().__init__()
        self.register_buffer("adjacency", adjacency)
        self.enter = nn.Linear(12, 24)
        self.layers = nn.ModuleList(nn.Linear(24, 24) for _ in range(layers))
        self.leave = nn.Linear(24, 4)

    def forward(self, x: Tensor) -> Tensor:
        x = torch.relu(self.enter(x))
        for layer in self.layers:
            x = torch.relu(layer(self.adjacency @ x))
        return self.leave(x)


def _train(setting: Setting) -> None:
    group = torch.arange(160) % 4
    chance = torch.where(group[:, None] == group, 0.12, 0.02)
    edges = (torch.rand(160, 160) < chance).float()
    edges = ((edges + edges.T + torch.eye(160)) > 0).float()
    x = torch.randn(4, 12)[group] * 0.5 + torch.randn(160, 12)
    is_known = torch.rand(160) < 0.5
    model = _GCN(edges / edges.sum(1, keepdim=True), 2 if setting.is_fixed else 16)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for _ in range(150):
            loss = nn.functional.cross_entropy(model(x)[is_known], group[is_known])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    with torch.no_grad():
        print("accuracy", (model(x)[~is_known].argmax(1) == group[~is_known]).float().mean().item())


PROGRAM = Program(
    name="friends-of-friends-of-friends",
    train=_train,
    source="Humbatova et al. 2020, model: suboptimal number of layers; Li et al. 2018 on smoothing in graph networks",
    truth=Truth(
        rules=(
            "same-for-all-samples", "predictions-ignore-input", "vanishing-gradient", "loss-does-not-fall", "same-for-all-tokens",
            "dead-relu",
        )
    ),
)  # fmt: skip
