"""A network solves the heat equation. It is fitted to the first state and to the equation."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class PINN(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(2, 40), nn.Tanh(), nn.Linear(40, 40), nn.Tanh(), nn.Linear(40, 1))

    def forward(self, x: Tensor) -> Tensor:
        return self.layers(x)


def _residual(model: nn.Module, points: Tensor) -> Tensor:
    points = points.requires_grad_()
    u = model(points)
    (first,) = torch.autograd.grad(u.sum(), points, create_graph=True)
    (second,) = torch.autograd.grad(first[:, 0].sum(), points, create_graph=True)
    return first[:, 1] - 0.1 * second[:, 0]


def _train(setting: Setting) -> None:
    place = 2 * torch.rand(800) - 1
    state = torch.sin(3.1416 * place)
    start = torch.stack([place, torch.zeros(800)], dim=1)
    model = PINN()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    with setting.watch(model):
        for step in range(200):
            rows = torch.randint(0, 800, (64,))
            target = state[rows, None] if setting.is_fixed else state[rows]
            initial = (model(start[rows]) - target).square().mean()
            points = torch.rand(64, 2) * torch.tensor([2.0, 1.0]) - torch.tensor([1.0, 0.0])
            equation = _residual(model, points).square().mean()
            loss = 5 * initial + equation
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 50 == 49:
                print(f"{step}: initial {initial.item():.4f}, equation {equation.item():.4f}")


PROGRAM = Program(
    name="heat-from-a-first-state",
    train=_train,
    source="https://github.com/Photon-AI-Research/NeuralSolvers/issues/20",
    truth=Truth(
        rules=("broadcast-in-loss", "predictions-ignore-input"),
        nodes=("sub", "square", "mean", "model: output", "model.layers", "model.layers.4"),
    ),
)
