"""GraphSAGE on one large graph: every step takes some nodes, and a few neighbours of each."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class Sage(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.own, self.others = nn.Linear(8, 32), nn.Linear(8, 32)
        self.dropout = nn.Dropout(0.2)
        self.out = nn.Linear(32, 3)

    def forward(self, own: Tensor, neighbours: Tensor) -> Tensor:
        h = torch.relu(self.own(own) + self.others(neighbours.mean(dim=1)))
        return self.out(self.dropout(nn.functional.normalize(h, dim=1) * 4))


def _train(setting: Setting) -> None:
    count = 1200
    group = torch.randint(3, (count,))
    features = torch.randn(count, 8) + torch.randn(3, 8)[group] * 0.7
    members = [torch.where(group == g)[0] for g in range(3)]
    edges = torch.stack([members[int(g)][torch.randint(len(members[int(g)]), (15,))] for g in group])
    edges = torch.where(torch.rand(count, 15) < 0.2, torch.randint(count, (count, 15)), edges)
    net = Sage()
    optimizer = torch.optim.Adam(net.parameters(), lr=5e-3)
    with setting.watch(net):
        for _ in range(180):
            nodes = torch.randint(count, (48,))
            chosen = edges[nodes][:, torch.randperm(15)[:5]]
            loss = nn.functional.cross_entropy(net(features[nodes], features[chosen]), group[nodes])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="sampled-neighbours", train=_train, source="Hamilton et al. 2017")
