"""Features are averaged over neighbours sixteen times, with nothing that keeps a node's own: all nodes become alike."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn

from evaluation.everyday import clubs
from evaluation.program import Program, Setting, Truth


class Gcn(nn.Module):
    def __init__(self, features: int, hidden: int, classes: int, layers: int) -> None:
        super().__init__()
        widths = [features] + [hidden] * (layers - 1) + [classes]
        self.convs = nn.ModuleList(nn.Linear(before, after) for before, after in pairwise(widths))

    def forward(self, x: Tensor, adj: Tensor) -> Tensor:
        for conv in self.convs[:-1]:
            x = torch.relu(adj @ conv(x))
        return adj @ self.convs[-1](x)


def _train(setting: Setting) -> None:
    features, links, club = clubs(150)
    adj = links / links.sum(dim=1, keepdim=True)
    known = torch.rand(150) < 0.5
    model = Gcn(12, 24, 3, layers=2 if setting.is_fixed else 16)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    with setting.watch(model):
        for epoch in range(100):
            optimizer.zero_grad()
            out = model(features, adj)
            loss = nn.functional.cross_entropy(out[known], club[known])
            loss.backward()
            optimizer.step()
            if epoch % 20 == 0:
                hits = (out[~known].argmax(dim=1) == club[~known]).float().mean()
                print(f"epoch {epoch}: loss {loss.item():.3f}, accuracy {hits.item():.2f}, spread {out.std(dim=0).mean().item():.4f}")


PROGRAM = Program(
    name="sixteen-rounds-of-neighbours",
    train=_train,
    source="https://github.com/RS-KR/GNN-RS-Beginner/issues/7",
    truth=Truth(
        rules=("same-for-all-samples", "same-for-all-tokens", "predictions-ignore-input", "vanishing-gradient", "loss-does-not-fall"),
        nodes=("model.convs", "model: output", "model"),
    ),
)
