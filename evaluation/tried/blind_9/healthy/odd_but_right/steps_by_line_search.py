"""L-BFGS fits a small table in full batches. It calls the closure several times per step."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import regression_table
from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    table, value = regression_table(200, 5)
    net = nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 1))
    optimizer = torch.optim.LBFGS(net.parameters(), lr=1.0, max_iter=4, history_size=10, line_search_fn="strong_wolfe")

    def closure() -> Tensor:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(net(table), value)
        loss.backward()
        return loss

    with setting.watch(net):
        for step in range(60):
            loss = optimizer.step(closure)
            if step % 12 == 11:
                print(f"{step}: {float(loss):.5f}")


PROGRAM = Program(name="steps-by-line-search", train=_train, source="Liu and Nocedal 1989; PyTorch documentation, LBFGS")
