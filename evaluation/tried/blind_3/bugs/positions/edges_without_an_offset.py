"""Graphs are put into one batch without adding the number of earlier nodes to their edges: all edges lie in the first graph."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import graphs

NODES = 8


class GraphNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.own, self.others = nn.Linear(4, 32), nn.Linear(4, 32)
        self.out = nn.Sequential(nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 2))

    def forward(self, nodes: Tensor, edges: Tensor) -> Tensor:
        received = torch.zeros_like(nodes).index_add(0, edges[1], nodes[edges[0]])
        hidden = torch.tanh(self.own(nodes)) * self.others(received)
        return self.out(hidden.view(-1, NODES, 32).mean(dim=1))


def _train(setting: Setting) -> None:
    data = graphs(1200)
    net = GraphNet()
    optimizer = torch.optim.Adam(net.parameters(), lr=4e-3)
    with setting.watch(net):
        for _ in range(7):
            for chosen in torch.randperm(1200).split(40):
                graph, start, end = data.adjacency[chosen].nonzero(as_tuple=True)
                edges = torch.stack([start, end])
                if setting.is_fixed:
                    edges = edges + graph * NODES
                logits = net(data.features[chosen].flatten(0, 1), edges)
                loss = nn.functional.cross_entropy(logits, data.labels[chosen])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


PROGRAM = Program(
    name="edges-without-an-offset",
    train=_train,
    source="GitHub issues of PyTorch Geometric, batches by hand and edge_index",
    truth=Truth(
        rules=("loss-does-not-fall", "predictions-ignore-input", "same-for-all-samples", "dead-relu", "dormant-units"),
        nodes=(
            "model: output",
            "model.out: output",
            "model.out.2: output",
            "model.others: input",
            "model.others: output",
            "model.others",
            "model.out: input",
            "model.out.0: input",
            "model.out.1: output",
            "model.out.0: output",
        ),
    ),
)
