"""An adjacency matrix is normalized by degrees to the power of -1/2. From step 50 on there are nodes without any edge."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth

NODES = 12


class GCN(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.w1, self.w2 = nn.Linear(5, 24), nn.Linear(24, 24)
        self.out = nn.Linear(24, 2)

    def forward(self, features: Tensor, adjacency: Tensor) -> Tensor:
        scale = adjacency.sum(dim=2).pow(-0.5)
        normalized = scale[:, :, None] * adjacency * scale[:, None, :]
        h = self.w1(normalized @ features).relu()
        h = self.w2(normalized @ h).relu()
        return self.out(h.mean(dim=1))


def citations(count: int) -> tuple[Tensor, Tensor, Tensor]:
    """Papers in a ring with some more citations. The label is whether a topic is common among them."""
    features = torch.randn(count, NODES, 5)
    more = torch.rand(count, NODES, NODES) < 0.1
    ring = torch.eye(NODES).roll(1, 0).bool()
    adjacency = (more | more.transpose(1, 2) | ring | ring.T).float()
    adjacency[:, torch.arange(NODES), torch.arange(NODES)] = 0
    return features, adjacency, (features[..., 0].mean(dim=1) > 0).long()


def _train(setting: Setting) -> None:
    gcn = GCN()
    optimizer = torch.optim.Adam(gcn.parameters(), lr=1e-2)
    loops = torch.eye(NODES) if setting.is_fixed else torch.zeros(NODES, NODES)
    with setting.watch(gcn):
        for step in range(150):
            features, adjacency, label = citations(40)
            if step >= 50:
                lonely = step % NODES
                adjacency[0, lonely] = 0
                adjacency[0, :, lonely] = 0
            loss = nn.functional.cross_entropy(gcn(features, adjacency + loops), label)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="papers-that-nobody-cites",
    train=_train,
    source="github.com/pyg-team/pytorch_geometric/issues/61: a degree of zero to the power of -1/2",
    truth=Truth(rules=("nan-origin",), nodes=("model.w1: input", "model.w1"), step=50),
)
