"""Clubs of people by two graph convolutions over the whole graph, with labels for a third of the nodes."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.everyday import clubs
from evaluation.program import Program, Setting


class Gcn(nn.Module):
    def __init__(self, features: int, classes: int, width: int = 24) -> None:
        super().__init__()
        self.first = nn.Linear(features, width)
        self.second = nn.Linear(width, classes)
        self.drop = nn.Dropout(0.3)

    def forward(self, x: Tensor, links: Tensor) -> Tensor:
        h = torch.relu(links @ self.first(self.drop(x)))
        return links @ self.second(self.drop(h))


def _train(setting: Setting) -> None:
    x, links, club = clubs(180, classes=4)
    scale = links.sum(dim=1).rsqrt()
    links = scale[:, None] * links * scale
    known = torch.rand(180) < 0.35
    model = Gcn(12, 4)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2, weight_decay=5e-4)
    with setting.watch(model):
        for epoch in range(120):
            model.train()
            loss = nn.functional.cross_entropy(model(x, links)[known], club[known])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if epoch % 20 == 19:
                model.eval()
                with torch.no_grad():
                    right = (model(x, links)[~known].argmax(dim=1) == club[~known]).float().mean()
                print(f"epoch {epoch}: {loss.item():.4f}, others right {right.item():.3f}")


PROGRAM = Program(name="clubs-by-graph-convolutions", train=_train, source="Kipf and Welling 2017, graph convolutional networks")
