"""Graph attention: every node weighs its neighbours, and a graph is read from the sum and the maximum over its nodes."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting
from evaluation.worlds import graphs


class GraphAttention(nn.Module):
    def __init__(self, inputs: int, outputs: int, heads: int = 2) -> None:
        super().__init__()
        self.project = nn.Linear(inputs, outputs)
        self.source, self.target = nn.Linear(outputs, heads, bias=False), nn.Linear(outputs, heads, bias=False)
        self.heads = heads

    def forward(self, nodes: Tensor, adjacency: Tensor) -> Tensor:
        values = self.project(nodes)
        scores = nn.functional.leaky_relu(self.source(values)[:, :, None] + self.target(values)[:, None], 0.2)
        is_near = (adjacency + torch.eye(nodes.shape[1]))[..., None] > 0
        weights = scores.masked_fill(~is_near, float("-inf")).softmax(dim=2)
        split = values.unflatten(2, (self.heads, -1))
        return torch.einsum("nvwh,nwhf->nvhf", weights, split).flatten(2)


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = GraphAttention(4, 32), GraphAttention(32, 32)
        self.out = nn.Sequential(nn.Linear(64, 32), nn.ELU(), nn.Linear(32, 2))

    def forward(self, nodes: Tensor, adjacency: Tensor) -> Tensor:
        hidden = nn.functional.elu(self.first(nodes, adjacency))
        hidden = hidden + nn.functional.elu(self.second(hidden, adjacency))
        return self.out(torch.cat([hidden.mean(dim=1), hidden.amax(dim=1)], dim=1))


def _train(setting: Setting) -> None:
    data = graphs(1500)
    # An easier question than that of the labels: how much there is around nodes of a high value.
    around = (data.adjacency.sum(dim=2) * data.features[..., 0].relu()).sum(dim=1)
    labels = (around > around.median()).long()
    model = Net()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3, weight_decay=5e-4)
    with setting.watch(model):
        for nodes, adjacency, y in batches(200, 32, data.features, data.adjacency, labels):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(nodes, adjacency), y).backward()
            optimizer.step()


PROGRAM = Program(name="neighbours-by-attention", train=_train, source="Velickovic et al. 2018 (graph attention networks)")
