"""Training with an average of the weights, validation after each epoch, and a stop when it no longer helps."""

from __future__ import annotations

import copy

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, regression_table
from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    x, y = regression_table(900, 8)
    y = y + 0.3 * torch.randn_like(y)
    model = nn.Sequential(nn.Linear(8, 40), nn.SiLU(), nn.Dropout(0.1), nn.Linear(40, 1))
    average = copy.deepcopy(model).requires_grad_(False).eval()
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
    best, patience = float("inf"), 0
    saved: dict[str, Tensor] = {}
    with setting.watch(model):
        for _ in range(12):
            model.train()
            for a, b in batches(20, 35, x[:700], y[:700]):
                loss = nn.functional.mse_loss(model(a), b)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                with torch.no_grad():
                    for slow, fast in zip(average.parameters(), model.parameters(), strict=True):
                        slow.lerp_(fast, 0.05)
            model.eval()
            with torch.no_grad():
                now = nn.functional.mse_loss(model(x[700:]), y[700:]).item()
                print(now, nn.functional.mse_loss(average(x[700:]), y[700:]).item())
            if now < best:
                best, patience, saved = now, 0, copy.deepcopy(model.state_dict())
            else:
                patience += 1
            if patience == 3:
                break
        model.load_state_dict(saved)


PROGRAM = Program(name="stopped-with-an-average", train=_train, source="Prechelt 1998; Polyak and Juditsky 1992")
