"""Saliency maps are computed after each epoch. Their backward pass leaves gradients that the next step adds to its own."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.worlds import gratings

STEPS = 25


def _train(setting: Setting) -> None:
    images, angles = gratings(800)
    net = nn.Sequential(nn.Conv2d(3, 12, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(12, 16, 3), nn.ReLU(), nn.Flatten(), nn.Linear(256, 4))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    with setting.watch(net):
        for _ in range(10):
            for x, y in batches(STEPS, 32, images, angles):
                loss = nn.functional.cross_entropy(net(x), y)
                loss.backward()
                optimizer.step()
                optimizer.zero_grad()
            shown = images[:100].clone().requires_grad_()
            net(shown).max(dim=1).values.sum().backward()
            assert shown.grad is not None
            print(f"{loss.item():.3f}, saliency {shown.grad.abs().mean():.2e}")
            if setting.is_fixed:
                optimizer.zero_grad()


PROGRAM = Program(
    name="saliency-leaves-gradients",
    train=_train,
    source="PyTorch forum, backward for the gradient of the input also fills those of parameters",
    truth=Truth(
        rules=("gradients-left-over", "gradient-spike"),
        nodes=tuple(f"model.{i}{name}" for i in (0, 3, 6) for name in ("", ".weight", ".bias")),
        step=STEPS,
    ),
)
