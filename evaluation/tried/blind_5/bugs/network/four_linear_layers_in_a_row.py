"""The activations between the layers of a regression were forgotten, so that it can only draw a plane."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class _Crops(nn.Module):
    def __init__(self, is_fixed: bool) -> None:
        super().__init__()
        self.is_fixed = is_fixed
        self.soil = nn.Linear(5, 48)
        self.water = nn.Linear(48, 48)
        self.growth = nn.Linear(48, 24)
        self.harvest = nn.Linear(24, 1)

    def forward(self, x: Tensor) -> Tensor:
        for layer in (self.soil, self.water, self.growth):
            x = layer(x)
            if self.is_fixed:
                x = torch.relu(x)
        return self.harvest(x)


def _train(setting: Setting) -> None:
    fields = torch.randn(1500, 5)
    harvest = (fields[:, :1] * fields[:, 1:2] + fields[:, 2:3].pow(2) - 1) / 1.7
    model = _Crops(setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for _ in range(10):
            for chosen in torch.randperm(1500).split(50):
                optimizer.zero_grad()
                loss = nn.functional.mse_loss(model(fields[chosen]), harvest[chosen])
                loss.backward()
                optimizer.step()
    print("loss", loss.item(), "variance", harvest.var().item())


PROGRAM = Program(
    name="four-linear-layers-in-a-row",
    train=_train,
    source="NeuraLint (Nikanjam et al. 2021): missing activation between linear layers; Humbatova et al. 2020",
    truth=Truth(
        rules=("linear-after-linear", "predictions-ignore-input", "loss-does-not-fall"),
        nodes=(
            "model.soil",
            "model.water",
            "model.growth",
            "model.harvest",
            "model.water: input",
            "model.growth: input",
            "model.harvest: input",
        ),
    ),
)
