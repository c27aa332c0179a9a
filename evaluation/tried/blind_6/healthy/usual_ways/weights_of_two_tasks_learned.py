"""Two tasks whose weights are learned as uncertainties, so the total can fall below zero."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.datasets import batches
from evaluation.program import Program, Setting


class Shared(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(14, 48), nn.GELU(), nn.Linear(48, 48), nn.GELU())
        self.speed = nn.Linear(48, 1)
        self.kind = nn.Linear(48, 4)
        self.log_variance = nn.Parameter(torch.zeros(2))

    def forward(self, car: Tensor) -> tuple[Tensor, Tensor]:
        h = self.body(car)
        return self.speed(h), self.kind(h)


def _train(setting: Setting) -> None:
    cars = torch.randn(3000, 14)
    speed = torch.sin(cars[:, :1]) + 0.4 * cars[:, 1:2] + 0.1 * torch.randn(3000, 1)
    kind = (cars @ torch.randn(14, 4)).argmax(dim=1)
    model = Shared()
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for x, s, k in batches(250, 64, cars, speed, kind):
            predicted, logits = model(x)
            errors = torch.stack([F.mse_loss(predicted, s), F.cross_entropy(logits, k)])
            loss = ((-model.log_variance).exp() * errors + 0.5 * model.log_variance).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"loss {loss.item():.3f}, tasks {errors.tolist()}")


PROGRAM = Program(name="weights-of-two-tasks-learned", train=_train, source="Kendall et al. 2018")
