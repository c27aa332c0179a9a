"""Model-agnostic meta-learning: weights from which a single step of gradient descent fits a new sine."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.func import functional_call

from evaluation.program import Program, Setting


def _task() -> tuple[Tensor, Tensor, Tensor, Tensor]:
    x = torch.rand(20, 1) * 2 - 1
    y = (0.5 + torch.rand(())) * torch.sin(4 * x + torch.pi * torch.rand(()))
    return x[:10], y[:10], x[10:], y[10:]


def _train(setting: Setting) -> None:
    model = nn.Sequential(nn.Linear(1, 40), nn.ReLU(), nn.Linear(40, 40), nn.ReLU(), nn.Linear(40, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    inner_lr = 0.1
    with setting.watch(model):
        for _ in range(600):
            losses = []
            for _ in range(4):
                x_support, y_support, x_query, y_query = _task()
                weights = dict(model.named_parameters())
                inner = nn.functional.mse_loss(model(x_support), y_support)
                gradients = torch.autograd.grad(inner, list(weights.values()), create_graph=True)
                adapted = {name: weight - inner_lr * g for (name, weight), g in zip(weights.items(), gradients, strict=True)}
                losses.append(nn.functional.mse_loss(functional_call(model, adapted, (x_query,)), y_query))
            loss = torch.stack(losses).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="maml", train=_train, source="Finn et al. 2017")
