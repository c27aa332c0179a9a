"""Faces are nodes of a graph of neighbours. A deep graph network says which person is shown."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.everyday import clubs
from evaluation.program import Program, Setting, Truth


class DeepGCN(nn.Module):
    def __init__(self, features: int, classes: int, is_fixed: bool) -> None:
        super().__init__()
        self.is_fixed = is_fixed
        self.enter = nn.Linear(features, 32)
        self.layers = nn.ModuleList(nn.Linear(32, 32) for _ in range(20))
        self.leave = nn.Linear(32, classes)

    def forward(self, x: Tensor, mean_of_neighbours: Tensor) -> Tensor:
        x = torch.relu(self.enter(x))
        for layer in self.layers:
            message = torch.relu(layer(mean_of_neighbours @ x))
            x = x + 0.2 * message if self.is_fixed else message
        return self.leave(x)


def _train(setting: Setting) -> None:
    x, links, persons = clubs(180)
    mean_of_neighbours = links / links.sum(dim=1, keepdim=True)
    model = DeepGCN(12, 3, setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for epoch in range(80):
            loss = nn.functional.cross_entropy(model(x, mean_of_neighbours)[:120], persons[:120])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if epoch % 16 == 15:
                print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="faces-grouped-by-their-neighbours",
    train=_train,
    source="https://github.com/yl-1993/learn-to-cluster/issues/23",
    truth=Truth(
        rules=("same-for-all-samples", "same-for-all-tokens", "vanishing-gradient", "predictions-ignore-input"),
        nodes=(
            "model.layers",
            *(f"model.layers.{place}: input" for place in range(20)),
            "model.leave",
            "model.leave: input",
            "model: output",
        ),
    ),
)
