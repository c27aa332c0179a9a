"""Flow matching: a network learns the straight way from noise to a point, and an average of its weights is kept."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from evaluation.program import Program, Setting
from evaluation.worlds import spirals


class Velocity(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(3, 64), nn.SiLU(), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, 2))

    def forward(self, points: Tensor, time: Tensor) -> Tensor:
        return self.layers(torch.cat([points, time], dim=1))


@torch.no_grad()
def draw(velocity: nn.Module, count: int) -> Tensor:
    points = torch.randn(count, 2)
    for step in range(10):
        points = points + 0.1 * velocity(points, torch.full((count, 1), step / 10))
    return points


def _train(setting: Setting) -> None:
    data, _ = spirals(2000)
    model = Velocity()
    average = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.99))
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for _ in range(250):
            end = data[torch.randint(2000, (64,))]
            start, time = torch.randn(64, 2), torch.rand(64, 1)
            guess = model((1 - time) * start + time * end, time)
            loss = (guess - (end - start)).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            average.update_parameters(model)
    print(draw(average, 200).std(dim=0))


PROGRAM = Program(name="straight-flows", train=_train, source="Lipman et al. 2023 (flow matching)")
