"""A reaction is learned from what comes out of it. All amounts are positive, so the network ends in a softplus, as it should."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class Reaction(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 48), nn.SiLU(), nn.Linear(48, 48), nn.SiLU(), nn.Linear(48, 3), nn.Softplus())

    def forward(self, recipe: Tensor) -> Tensor:
        return self.net(recipe)


def react(count: int) -> tuple[Tensor, Tensor]:
    """Temperature, time and two amounts, standardized; and three amounts afterwards."""
    temperature, time, a, b = torch.rand(4, count)
    rate = torch.exp(2 * temperature - 1)
    made = torch.minimum(a, b) * (1 - torch.exp(-2 * rate * time))
    after = torch.stack([a - made, b - made, made], dim=1) * (1 + 0.03 * torch.randn(count, 3))
    before = torch.stack([temperature, time, a, b], dim=1)
    return (before - 0.5) * 12**0.5, after


def _train(setting: Setting) -> None:
    recipe, amounts = react(2000)
    model = Reaction()
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=3)
    with setting.watch(model):
        for epoch in range(6):
            for rows in torch.randperm(2000).split(80):
                loss = nn.functional.mse_loss(model(recipe[rows]), amounts[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            scheduler.step(loss.item())
            print(f"epoch {epoch}: {loss.item():.5f}")


PROGRAM = Program(
    name="concentrations-stay-positive", train=_train, source="Common practice for amounts: a positive output for positive targets"
)
