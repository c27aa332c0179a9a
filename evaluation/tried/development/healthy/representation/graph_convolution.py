"""A graph network with a normalized adjacency matrix finds communities from a few labels."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class _GCN(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.w1 = nn.Linear(16, 32, bias=False)
        self.w2 = nn.Linear(32, 4, bias=False)

    def forward(self, x: Tensor, adjacency: Tensor) -> Tensor:
        x = torch.relu(adjacency @ self.w1(x))
        x = nn.functional.dropout(x, 0.5, self.training)
        return adjacency @ self.w2(x)


def _train(setting: Setting) -> None:
    nodes = 160
    community = torch.arange(nodes) % 4
    likely = torch.where(community[:, None] == community, 0.12, 0.015)
    edges = (torch.rand(nodes, nodes) < likely).float().triu(1)
    adjacency = edges + edges.T + torch.eye(nodes)
    scale = adjacency.sum(1).rsqrt()
    adjacency = scale[:, None] * adjacency * scale
    x = torch.randn(4, 16)[community] + 2 * torch.randn(nodes, 16)
    is_labelled = torch.rand(nodes) < 0.2
    model = _GCN()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
    accuracies = []
    with setting.watch(model):
        for epoch in range(600):
            model.train()
            out = model(x, adjacency)
            loss = nn.functional.cross_entropy(out[is_labelled], community[is_labelled])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if epoch % 50 == 0:
                model.eval()
                with torch.no_grad():
                    right = model(x, adjacency).argmax(1) == community
                accuracies.append(right[~is_labelled].float().mean().item())


PROGRAM = Program(name="graph-convolution", train=_train, source="Kipf and Welling 2017, on a stochastic block model")
