"""The heads of three tasks are a list that holds the same layer three times."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class _Weather(nn.Module):
    def __init__(self, is_fixed: bool) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(9, 40), nn.ReLU(), nn.Linear(40, 40), nn.ReLU())
        heads = [nn.Linear(40, 1) for _ in range(3)] if is_fixed else [nn.Linear(40, 1)] * 3
        self.heads = nn.ModuleList(heads)

    def forward(self, x: Tensor) -> list[Tensor]:
        code = self.body(x)
        return [head(code) for head in self.heads]


def _train(setting: Setting) -> None:
    stations = torch.randn(1400, 9)
    rain, wind = stations[:, :1] * stations[:, 1:2], torch.sin(2 * stations[:, 2:3])
    heat = stations[:, 3:4].tanh() - stations[:, 4:5]
    model = _Weather(setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for epoch in range(10):
            for chosen in torch.randperm(1400).split(50):
                said = model(stations[chosen])
                losses = [nn.functional.mse_loss(a, b[chosen]) for a, b in zip(said, (rain, wind, heat), strict=True)]
                loss = losses[0] + losses[1] + losses[2]
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(epoch, [round(part.item(), 3) for part in losses])


PROGRAM = Program(
    name="one-head-for-three-tasks",
    train=_train,
    source="PyTorch forum: [nn.Linear(...)] * n makes n references to one layer",
    truth=Truth(
        rules=("tied-parameters", "loss-does-not-fall", "predictions-ignore-input"),
        nodes=("model.heads.0", "model.heads.1", "model.heads.2", "model.heads"),
    ),
)
