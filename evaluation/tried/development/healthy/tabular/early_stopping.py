"""Stops when the validation loss has not improved for a while."""

from __future__ import annotations

import copy

import torch
from torch import nn

from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    x = torch.randn(2000, 10)
    y = torch.tanh(x[:, :1] + x[:, 1:2]) + 0.5 * x[:, 2:3] + 0.4 * torch.randn(2000, 1)
    x_train, y_train, x_val, y_val = x[:1200], y[:1200], x[1200:], y[1200:]
    model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, weight_decay=1e-4)
    best, patience, waited = float("inf"), 6, 0
    best_state = copy.deepcopy(model.state_dict())
    losses = []
    with setting.watch(model):
        for _ in range(60):
            model.train()
            for index in torch.randperm(1200).split(32):
                optimizer.zero_grad()
                loss = nn.functional.mse_loss(model(x_train[index]), y_train[index])
                loss.backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                losses.append(nn.functional.mse_loss(model(x_val), y_val).item())
            if losses[-1] < best:
                best, waited, best_state = losses[-1], 0, copy.deepcopy(model.state_dict())
            else:
                waited += 1
                if waited == patience:
                    break
    model.load_state_dict(best_state)


PROGRAM = Program(name="early-stopping", train=_train, source="Prechelt 1998: early stopping, but when?")
