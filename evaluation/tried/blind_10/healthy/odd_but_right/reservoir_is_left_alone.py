"""An echo state network: the recurrent weights are random and stay so, and only what reads its states is trained."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class Reservoir(nn.Module):
    def __init__(self, size: int = 120, radius: float = 0.9) -> None:
        super().__init__()
        weight = torch.randn(size, size) * (torch.rand(size, size) < 0.1)
        weight *= radius / torch.linalg.eigvals(weight).abs().max()
        self.register_buffer("recurrent", weight)
        self.register_buffer("inside", torch.rand(size) - 0.5)
        self.readout = nn.Linear(size, 1)
        self.recurrent: Tensor
        self.inside: Tensor

    def forward(self, series: Tensor) -> Tensor:
        state = torch.zeros(len(series), len(self.inside))
        for value in series.unbind(dim=1):
            state = torch.tanh(state @ self.recurrent.T + value[:, None] * self.inside)
        return self.readout(state)[:, 0]


def _train(setting: Setting) -> None:
    time = torch.arange(2100) / 8
    series = torch.sin(time) + 0.5 * torch.sin(2.7 * time + 1) + 0.03 * torch.randn(2100)
    windows = series.unfold(0, 31, 1)
    model = Reservoir()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    with setting.watch(model):
        for step in range(120):
            batch = windows[torch.randint(len(windows), (32,))]
            loss = nn.functional.mse_loss(model(batch[:, :-1]), batch[:, -1])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 30 == 29:
                print(f"{step}: {loss.item():.4f}")


PROGRAM = Program(name="reservoir-is-left-alone", train=_train, source="Jaeger 2001, echo state networks")
