"""All weights of a graph network begin with one value, so all its units are the same unit."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class GraphLayer(nn.Module):
    def __init__(self, inputs: int, outputs: int, constant: bool) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(inputs, outputs))
        self.bias = nn.Parameter(torch.zeros(outputs))
        if constant:
            nn.init.constant_(self.weight, 1 / inputs)
        else:
            nn.init.xavier_uniform_(self.weight)

    def forward(self, nodes: Tensor, adjacency: Tensor) -> Tensor:
        return adjacency @ nodes @ self.weight + self.bias


class GraphNet(nn.Module):
    def __init__(self, constant: bool) -> None:
        super().__init__()
        self.layer1, self.layer2 = GraphLayer(6, 24, constant), GraphLayer(24, 24, constant)
        self.readout = nn.Linear(24, 3)

    def forward(self, nodes: Tensor, adjacency: Tensor) -> Tensor:
        h = torch.tanh(self.layer1(nodes, adjacency))
        return self.readout(torch.tanh(self.layer2(h, adjacency)).mean(dim=1))


def _train(setting: Setting) -> None:
    nodes = torch.randn(1000, 9, 6)
    adjacency = (torch.rand(1000, 9, 9) < 0.2).float() + torch.eye(9)
    adjacency = adjacency / adjacency.sum(dim=2, keepdim=True)
    labels = (adjacency @ nodes).mean(dim=1)[:, :3].argmax(dim=1)
    net = GraphNet(constant=not setting.is_fixed)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    with setting.watch(net):
        for x, a, y in batches(200, 40, nodes, adjacency, labels):
            loss = nn.functional.cross_entropy(net(x, a), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="graph-layers-of-ones",
    train=_train,
    source="Humbatova et al. 2020, training: wrong initialization of weights; DeepCrime (WCI)",
    truth=Truth(
        rules=("equal-weights",),
        nodes=("model.layer1.weight", "model.layer2.weight", "model.layer1", "model.layer2"),
    ),
)
