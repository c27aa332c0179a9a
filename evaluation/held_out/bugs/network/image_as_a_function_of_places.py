"""A picture is a function of its places. Each of several small networks sees the places at a scale of its own."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class CoordinateMLP(nn.Module):
    def __init__(self, out: int, scale: float) -> None:
        super().__init__()
        self.scale = scale
        self.layers = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, out))

    def forward(self, places: Tensor) -> Tensor:
        return torch.sin(self.layers(self.scale * places))


class ImplicitImage(nn.Module):
    def __init__(self, is_fixed: bool) -> None:
        super().__init__()
        mlps = [CoordinateMLP(8, 0.5 * 2**level) for level in range(5)]
        self.mlps = nn.ModuleList(mlps) if is_fixed else mlps
        self.expansion = nn.Linear(40, 48)
        self.color = nn.Linear(48, 1)

    def forward(self, places: Tensor) -> Tensor:
        features = torch.cat([mlp(places) for mlp in self.mlps], dim=1)
        return self.color(torch.relu(self.expansion(features)))


def _train(setting: Setting) -> None:
    places = 2 * torch.rand(4000, 2) - 1
    values = torch.sin(4 * places[:, :1] * places[:, 1:]) * torch.cos(3 * places[:, :1])
    model = ImplicitImage(setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for epoch in range(4):
            for rows in torch.randperm(4000).split(100):
                loss = nn.functional.mse_loss(model(places[rows]), values[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.5f}")


PROGRAM = Program(
    name="image-as-a-function-of-places",
    train=_train,
    source="https://github.com/LianpoWang/SLIIF/issues/13",
    truth=Truth(
        rules=("unregistered-modules", "not-in-optimizer", "never-updated"),
        nodes=("model", "model.mlps", "model.expansion: input"),
    ),
)
