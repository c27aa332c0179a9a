"""A mixture of four experts: each sample goes to the two that its gate prefers, and a loss keeps them equally busy."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.series_and_tables import orchards


class MixtureOfExperts(nn.Module):
    def __init__(self, features: int, width: int = 32, experts: int = 4) -> None:
        super().__init__()
        self.gate = nn.Linear(features, experts)
        self.experts = nn.ModuleList(nn.Sequential(nn.Linear(features, width), nn.ReLU(), nn.Linear(width, 1)) for _ in range(experts))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        shares = torch.softmax(self.gate(x), dim=1)
        best, places = shares.topk(2, dim=1)
        sparse = torch.zeros_like(shares).scatter(1, places, best / best.sum(dim=1, keepdim=True))
        answers = torch.cat([expert(x) for expert in self.experts], dim=1)
        used = (sparse > 0).float().mean(dim=0)
        balance = len(self.experts) * (used / 2 * shares.mean(dim=0)).sum()
        return (sparse * answers).sum(dim=1, keepdim=True), balance


def _train(setting: Setting) -> None:
    trees, harvest = orchards(2000)
    model = MixtureOfExperts(8)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for epoch in range(6):
            for rows in torch.randperm(1600).split(50):
                forecast, balance = model(trees[rows])
                error = nn.functional.mse_loss(forecast, harvest[rows])
                loss = error + 0.01 * balance
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            with torch.no_grad():
                valid = nn.functional.mse_loss(model(trees[1600:])[0], harvest[1600:]).item()
            print(f"epoch {epoch}: error {error.item():.4f}, balance {balance.item():.3f}, validation {valid:.4f}")


PROGRAM = Program(name="experts-take-turns", train=_train, source="Shazeer et al. 2017; Fedus et al. 2022, load balancing loss")
