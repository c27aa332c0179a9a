"""Pretrained weights are loaded and frozen, and then all linear layers are initialized: also those that were just loaded."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import class_blobs
from evaluation.program import Program, Setting, Truth


class Classifier(nn.Module):
    def __init__(self, classes: int) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 48), nn.ReLU())
        self.head = nn.Linear(48, classes)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.body(x))


def fit(model: nn.Module, x: Tensor, y: Tensor, steps: int) -> None:
    optimizer = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=3e-3)
    for step in range(steps):
        rows = torch.randint(len(x), (48,))
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 40 == 39:
            print(f"{step}: {loss.item():.3f}")


def reset(module: nn.Module) -> None:
    if isinstance(module, nn.Linear):
        module.reset_parameters()


def _train(setting: Setting) -> None:
    x, y = class_blobs(2500, classes=5)
    source = Classifier(5)
    fit(source, x, y, 200)

    model = Classifier(2)
    model.body.load_state_dict(source.body.state_dict())
    model.body.requires_grad_(False)
    if setting.is_fixed:
        model.head.apply(reset)
    else:
        model.apply(reset)
    with setting.watch(model):
        fit(model, x, (y < 2).long(), 160)


PROGRAM = Program(
    name="pretrained-and-then-reset",
    train=_train,
    source="GitHub issues on init_weights that overwrites pretrained weights",
    truth=Truth(
        rules=("frozen-as-initialized",),
        nodes=("model.body", *(f"model.body.{layer}{part}" for layer in (0, 2) for part in ("", ".weight"))),
    ),
)
