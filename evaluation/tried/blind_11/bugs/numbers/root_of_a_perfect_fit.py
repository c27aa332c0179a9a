"""The loss is a root mean squared error for each sample. For a sample that is fitted exactly the root has no gradient."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class DayModel(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.hidden = nn.Linear(6, 48, bias=False)
        self.output = nn.Linear(48, 12, bias=False)

    def forward(self, weather: Tensor) -> Tensor:
        return self.output(torch.relu(self.hidden(weather)))


def sun_hours(count: int) -> tuple[Tensor, Tensor]:
    weather = torch.randn(count, 6)
    sun = torch.tanh(weather @ torch.randn(6, 12)) + 0.1 * torch.randn(count, 12)
    return weather, sun


def _train(setting: Setting) -> None:
    weather, sun = sun_hours(1200)
    # A day without any record was filled up with zeros. Without biases the forecast for it is exactly right.
    night = 30 * 24 + 11
    weather[night], sun[night] = 0.0, 0.0
    model = DayModel()
    eps = 1e-8 if setting.is_fixed else 0.0
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with setting.watch(model):
        for epoch in range(3):
            for start in range(0, 1200, 24):
                squared = ((model(weather[start : start + 24]) - sun[start : start + 24]) ** 2).mean(dim=1)
                loss = torch.sqrt(squared + eps).mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                if start % 240 == 216:
                    print(f"epoch {epoch}, day {start}: {loss.item():.4f}")


PROGRAM = Program(
    name="root-of-a-perfect-fit",
    train=_train,
    source="GitHub pytorch/pytorch#2421, 'Gradient of zero norm is nan', and PyTorch forum on RMSE losses",
    truth=Truth(rules=("nan-origin",), nodes=("sqrt", "add", "mean"), step=30),
)
