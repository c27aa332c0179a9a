"""A small network fits a curve with L-BFGS, all samples at once."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class Curve(nn.Module):
    def __init__(self, units: int) -> None:
        super().__init__()
        self.hidden = nn.Linear(1, units)
        self.out = nn.Linear(units, 1)

    def forward(self, x: Tensor) -> Tensor:
        return self.out(torch.tanh(self.hidden(x)))


def _train(setting: Setting) -> None:
    x = torch.linspace(-2, 2, 120).unsqueeze(1)
    y = torch.sin(2.5 * x) + 0.3 * x + 0.03 * torch.randn(120, 1)
    model = Curve(10)
    optimizer = torch.optim.LBFGS(model.parameters(), lr=0.5, max_iter=5, history_size=10)

    def closure() -> Tensor:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        return loss

    with setting.watch(model):
        for step in range(60):
            loss = optimizer.step(closure)
            if step % 10 == 0:
                print(f"step {step}: {loss.item():.5f}")
    with torch.no_grad():
        print("largest error", (model(x) - y).abs().max().item())


PROGRAM = Program(name="lbfgs-curve", train=_train, source="curve fitting with torch.optim.LBFGS")
