"""Frames are restored from noisy ones, with a smooth variant of the absolute error."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.everyday import outlines
from evaluation.program import Program, Setting, Truth


class CharbonnierLoss(nn.Module):
    def __init__(self, reduction: str) -> None:
        super().__init__()
        self.reduction = reduction

    def forward(self, pred: Tensor, target: Tensor) -> Tensor:
        error = torch.sqrt((pred - target) ** 2 + 1e-6)
        return error.sum() if self.reduction == "sum" else error.mean()


class EDVR(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2d(1, 24, 3, padding=1)
        self.body = nn.Conv2d(24, 24, 3, padding=1)
        self.last = nn.Conv2d(24, 1, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        h = nn.functional.leaky_relu(self.first(x), 0.1)
        return x + self.last(nn.functional.leaky_relu(self.body(h), 0.1))


def _train(setting: Setting) -> None:
    noisy, masks = outlines(480)
    clean = 0.3 + 0.4 * masks[:, None]
    model = EDVR()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3, betas=(0.9, 0.99))
    criterion = CharbonnierLoss("mean" if setting.is_fixed else "sum")
    with setting.watch(model):
        for epoch in range(4):
            for rows in torch.randperm(480).split(16):
                loss = criterion(model(noisy[rows]), clean[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.5f}")


PROGRAM = Program(
    name="frames-restored-with-charbonnier",
    train=_train,
    source="https://github.com/XPixelGroup/BasicSR/issues/359",
    truth=Truth(
        rules=("summed-loss",),
        nodes=("sum", "sqrt", "add", "add (2)", "pow", "sub", "model: output", "model.last"),
    ),
)
