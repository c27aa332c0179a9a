"""A layer of two units stands between two wide ones, where 200 were meant: a zero is missing twice."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class _Odors(nn.Module):
    def __init__(self, middle: int) -> None:
        super().__init__()
        self.sensor = nn.Linear(32, 200)
        self.middle = nn.Linear(200, middle)
        self.wide = nn.Linear(middle, 200)
        self.odor = nn.Linear(200, 10)

    def forward(self, x: Tensor) -> Tensor:
        x = torch.relu(self.sensor(x))
        x = torch.relu(self.middle(x))
        return self.odor(torch.relu(self.wide(x)))


def _train(setting: Setting) -> None:
    odors = torch.randint(0, 10, (2000,))
    sensors = torch.randn(10, 32)[odors] + 0.8 * torch.randn(2000, 32)
    model = _Odors(200 if setting.is_fixed else 2)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for _ in range(6):
            for chosen in torch.randperm(1800).split(50):
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(sensors[chosen]), odors[chosen])
                loss.backward()
                optimizer.step()
    with torch.no_grad():
        print("loss", loss.item(), "accuracy", (model(sensors[1800:]).argmax(1) == odors[1800:]).float().mean().item())


PROGRAM = Program(
    name="two-units-between-two-hundred",
    train=_train,
    source="Humbatova et al. 2020: wrong number of neurons in a layer; Islam et al. 2019: suboptimal structure",
    truth=Truth(
        rules=("one-unit-bottleneck", "rank-collapse", "loss-does-not-fall", "dead-relu"),
        nodes=("model.middle", "model.wide: input", "model.wide"),
    ),
)
