"""`LambdaLR` multiplies the rate by what the function returns. The function returns the rate itself, so it is squared."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import graphs

RATE, STEPS = 2e-3, 160


class Convolution(nn.Module):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.self_loop = nn.Linear(inputs, outputs)
        self.neighbours = nn.Linear(inputs, outputs, bias=False)

    def forward(self, nodes: Tensor, adjacency: Tensor) -> Tensor:
        return torch.relu(self.self_loop(nodes) + adjacency @ self.neighbours(nodes))


class GraphNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.conv2 = Convolution(4, 24), Convolution(24, 24)
        self.readout = nn.Linear(24, 2)

    def forward(self, nodes: Tensor, adjacency: Tensor) -> Tensor:
        nodes = self.conv2(self.conv1(nodes, adjacency), adjacency)
        return self.readout(nodes.sum(dim=1))


def cosine(step: int) -> float:
    return 0.5 * (1 + math.cos(math.pi * step / STEPS))


def _train(setting: Setting) -> None:
    data = graphs(1200)
    model = GraphNet()
    optimizer = torch.optim.Adam(model.parameters(), lr=RATE)
    scale = 1.0 if setting.is_fixed else RATE
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: scale * cosine(step))
    with setting.watch(model):
        for step in range(STEPS):
            rows = torch.randint(1200, (40,))
            loss = nn.functional.cross_entropy(model(data.features[rows], data.adjacency[rows]), data.labels[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            scheduler.step()
            if step % 40 == 39:
                print(f"{step}: {loss.item():.3f}, rate {scheduler.get_last_lr()[0]:.2g}")


PROGRAM = Program(
    name="lambda-returns-the-rate",
    train=_train,
    source="Stack Overflow, LambdaLR takes a factor and not a rate",
    truth=Truth(rules=("updates-too-small", "loss-does-not-fall")),
)
