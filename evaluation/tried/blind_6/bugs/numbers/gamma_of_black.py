"""A learned exposure before a gamma of 0.45. Black pixels are 0, where the gradient of the power is infinite: 0 times that is NaN."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Exposure(nn.Module):
    def __init__(self, least: float) -> None:
        super().__init__()
        self.gain = nn.Parameter(torch.ones(3, 1, 1))
        self.least = least

    def forward(self, picture: Tensor) -> Tensor:
        return (self.gain * picture + self.least).pow(0.45)


def _train(setting: Setting) -> None:
    dark = (torch.rand(600, 3, 10, 10) - 0.1).clamp(min=0)
    bright = (F.avg_pool2d(dark, 3, 1, 1) * torch.tensor([1.0, 1.4, 0.7])[:, None, None]).pow(0.45)
    model = nn.Sequential(Exposure(1e-3 if setting.is_fixed else 0.0), nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 3, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for x, y in batches(120, 16, dark, bright):
            loss = F.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"loss {loss.item():.4f}")


PROGRAM = Program(
    name="gamma-of-black",
    train=_train,
    source="PyTorch forum, gradient of pow at zero",
    truth=Truth(rules=("nan-origin",), nodes=("model.0", "model.0.gain", "model.0: output")),
)
