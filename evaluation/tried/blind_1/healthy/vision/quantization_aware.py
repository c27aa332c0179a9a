"""Weights are rounded to four bits in the forward pass, and the rounding is skipped in the backward pass."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, digits
from evaluation.program import Program, Setting


class QuantizedLinear(nn.Linear):
    def forward(self, x: Tensor) -> Tensor:
        scale = self.weight.detach().abs().max() / 7
        rounded = torch.round(self.weight / scale) * scale
        return nn.functional.linear(x, self.weight + (rounded - self.weight).detach(), self.bias)


def _train(setting: Setting) -> None:
    images, labels = digits(1500)
    model = nn.Sequential(nn.Flatten(), QuantizedLinear(144, 64), nn.ReLU6(), QuantizedLinear(64, 32), nn.ReLU6(), QuantizedLinear(32, 6))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for x, y in batches(700, 32, images, labels):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="quantization-aware", train=_train, source="Bengio et al. 2013, straight-through estimators; Jacob et al. 2018")
