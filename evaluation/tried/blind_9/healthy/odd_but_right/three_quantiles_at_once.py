"""Three quantiles of a noisy value are learned with the pinball loss. How far it can fall is limited by the noise."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting

QUANTILES = torch.tensor([0.1, 0.5, 0.9])


class Quantiles(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, 40), nn.SiLU(), nn.Linear(40, 40), nn.SiLU())
        self.middle = nn.Linear(40, 1)
        self.widths = nn.Linear(40, 2)

    def forward(self, x: Tensor) -> Tensor:
        features = self.body(x)
        middle = self.middle(features)
        below, above = nn.functional.softplus(self.widths(features)).chunk(2, dim=1)
        return torch.cat([middle - below, middle, middle + above], dim=1)


def pinball(guess: Tensor, value: Tensor) -> Tensor:
    error = value - guess
    return torch.maximum(QUANTILES * error, (QUANTILES - 1) * error).mean()


def _train(setting: Setting) -> None:
    x = torch.randn(2000, 6)
    spread = 0.2 + 0.6 * torch.sigmoid(2 * x[:, 3])
    value = (torch.sin(x[:, 0]) + x[:, 1] * x[:, 2] + spread * torch.randn(2000))[:, None]
    model = Quantiles()
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for step in range(200):
            rows = torch.randint(2000, (64,))
            guess = model(x[rows])
            loss = pinball(guess, value[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 40 == 39:
                inside = ((guess[:, :1] < value[rows]) & (value[rows] < guess[:, 2:])).float().mean()
                print(f"{step}: {loss.item():.4f}, inside {inside.item():.2f}")


PROGRAM = Program(name="three-quantiles-at-once", train=_train, source="Koenker and Bassett 1978; quantile regression with networks")
