"""The moving average of the weights, kept for evaluation, is copied into the trained network after every step."""

from __future__ import annotations

import copy

import torch
from torch import Tensor, nn

from evaluation.datasets import curves
from evaluation.program import Program, Setting, Truth


class Forecast(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gru = nn.GRU(1, 20, batch_first=True)
        self.out = nn.Linear(20, 1)

    def forward(self, series: Tensor) -> Tensor:
        return self.out(self.gru(series)[0][:, -1])


@torch.no_grad()
def update_average(average: nn.Module, model: nn.Module, decay: float = 0.98) -> None:
    for kept, new in zip(average.parameters(), model.parameters(), strict=True):
        kept.lerp_(new, 1 - decay)


def _train(setting: Setting) -> None:
    series, following = curves(1000)
    model = Forecast()
    average = copy.deepcopy(model)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    evaluated = average if setting.is_fixed else model
    with setting.watch(model):
        for step in range(140):
            rows = torch.randint(1000, (40,))
            loss = nn.functional.mse_loss(model(series[rows]), following[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            update_average(average, model)
            # Here only the copy that is evaluated should be overwritten.
            evaluated.load_state_dict(average.state_dict())
            if step % 28 == 27:
                print(f"{step}: {loss.item():.4f}")


PROGRAM = Program(
    name="average-written-into-the-student",
    train=_train,
    source="GitHub issues on exponential moving averages that are not swapped back after evaluation",
    truth=Truth(rules=("updates-too-small", "loss-does-not-fall"), nodes=("model", "model.gru", "model.out")),
)
