"""A small network is fitted to all points at once, by an optimizer that calls the loss several times for a step."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    x = torch.linspace(-1, 1, 200)[:, None]
    y = torch.sin(4 * x) * torch.exp(-x) + 0.03 * torch.randn(200, 1)
    model = nn.Sequential(nn.Linear(1, 24), nn.Tanh(), nn.Linear(24, 24), nn.Tanh(), nn.Linear(24, 1))
    optimizer = torch.optim.LBFGS(model.parameters(), lr=0.5, max_iter=5)

    def closure() -> Tensor:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        return loss

    with setting.watch(model):
        for step in range(25):
            loss = optimizer.step(closure)
            if step % 5 == 4:
                print(f"{step}: {float(loss):.5f}")


PROGRAM = Program(name="curve-fitted-by-a-closure", train=_train, source="PyTorch documentation, LBFGS")
