"""Two layers of mean aggregation tell the communities of a graph; two fifths of the nodes are labelled."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class _Sage(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.own1, self.near1 = nn.Linear(16, 32), nn.Linear(16, 32, bias=False)
        self.own2, self.near2 = nn.Linear(32, 4), nn.Linear(32, 4, bias=False)
        self.drop = nn.Dropout(0.5)

    def forward(self, x: Tensor, near: Tensor) -> Tensor:
        x = self.drop(torch.relu(self.own1(x) + self.near1(near @ x)))
        return self.own2(x) + self.near2(near @ x)


def _train(setting: Setting) -> None:
    village = torch.randint(0, 4, (400,))
    chance = torch.where(village[:, None] == village, 0.06, 0.008)
    edges = (torch.rand(400, 400) < chance).triu(1)
    near = (edges | edges.T).float()
    near = near / near.sum(1, keepdim=True).clamp(min=1)
    features = torch.randn(4, 16)[village] / 2 + torch.randn(400, 16)
    known = torch.arange(400) < 160
    model = _Sage()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3, weight_decay=1e-2)
    with setting.watch(model):
        for epoch in range(120):
            model.train()
            loss = nn.functional.cross_entropy(model(features, near)[known], village[known])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if epoch % 20 == 19:
                model.eval()
                with torch.no_grad():
                    logits = model(features, near)[~known]
                valid = nn.functional.cross_entropy(logits, village[~known])
                print(epoch, loss.item(), valid.item(), (logits.argmax(1) == village[~known]).float().mean().item())


PROGRAM = Program(name="villages-by-graph-network", train=_train, source="Hamilton et al. 2017: GraphSAGE with mean aggregation")
