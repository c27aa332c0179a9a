"""Small networks of friends get a label by layers in which neighbours attend to each other."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.worlds import graphs


class NeighbourAttention(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.query, self.key, self.value = nn.Linear(width, width), nn.Linear(width, width), nn.Linear(width, width)
        self.norm = nn.LayerNorm(width)

    def forward(self, x: Tensor, linked: Tensor) -> Tensor:
        scores = self.query(x) @ self.key(x).transpose(1, 2) / x.shape[2] ** 0.5
        weights = torch.softmax(scores.masked_fill(~linked, float("-inf")), dim=2)
        return self.norm(x + nn.functional.elu(weights @ self.value(x)))


class FriendsNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.enter = nn.Linear(4, 48)
        self.first, self.second = NeighbourAttention(48), NeighbourAttention(48)
        self.out = nn.Sequential(nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 2))

    def forward(self, x: Tensor, linked: Tensor) -> Tensor:
        return self.out(self.second(self.first(self.enter(x), linked), linked).sum(dim=1))


def _train(setting: Setting) -> None:
    data = graphs(3000)
    linked = (data.adjacency + torch.eye(8)) > 0
    model = FriendsNet()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for epoch in range(4):
            hits = 0
            for rows in torch.randperm(3000).split(60):
                logits = model(data.features[rows], linked[rows])
                loss = nn.functional.cross_entropy(logits, data.labels[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                hits += int((logits.argmax(dim=1) == data.labels[rows]).sum())
            print(f"epoch {epoch}: {loss.item():.4f}, right {hits / 3000:.3f}")


PROGRAM = Program(name="networks-of-friends-by-attention", train=_train, source="Velickovic et al. 2018, graph attention networks")
