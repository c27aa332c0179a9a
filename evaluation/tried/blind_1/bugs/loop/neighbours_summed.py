"""A graph network adds up its neighbours in six rounds instead of averaging, and values grow in each."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Messages(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encode = nn.Linear(6, 24)
        self.rounds = nn.ModuleList(nn.Linear(24, 24) for _ in range(6))
        self.decode = nn.Linear(24, 1)

    def forward(self, nodes: Tensor, mixing: Tensor) -> Tensor:
        x = torch.relu(self.encode(nodes))
        for update in self.rounds:
            x = torch.relu(update(mixing @ x + x))
        return self.decode(x.mean(dim=1))


def _train(setting: Setting) -> None:
    nodes = torch.randn(800, 16, 6)
    edges = (torch.rand(800, 16, 16) < 0.6).float()
    if setting.is_fixed:
        edges = edges / edges.sum(dim=2, keepdim=True).clamp(min=1)
    goals = torch.tanh(nodes[:, :, 0]).mean(dim=1, keepdim=True) * 4
    model = Messages()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for x, e, y in batches(450, 32, nodes, edges, goals):
            loss = nn.functional.mse_loss(model(x, e), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="neighbours-summed",
    train=_train,
    source="PyTorch Geometric discussions: sum aggregation in dense graphs makes values explode",
    truth=Truth(
        rules=("growing-with-depth", "exploding-gradient", "initial-loss"),
        nodes=("model.decode", "model: output", *(f"model.rounds.{k}{what}" for k in range(6) for what in ("", ": output"))),
    ),
)
