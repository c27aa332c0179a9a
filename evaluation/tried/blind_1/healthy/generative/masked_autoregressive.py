"""Masked weights let every pixel see those before it only; the first output depends on no input at all."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, digits
from evaluation.program import Program, Setting


class MaskedLinear(nn.Linear):
    mask: Tensor

    def __init__(self, mask: Tensor) -> None:
        super().__init__(mask.shape[1], mask.shape[0])
        self.register_buffer("mask", mask)

    def forward(self, x: Tensor) -> Tensor:
        return nn.functional.linear(x, self.weight * self.mask, self.bias)


def _train(setting: Setting) -> None:
    pixels, units = 36, 108
    images = (digits(2000, classes=4, size=6)[0].flatten(1) > 0.5).float()
    order, degrees = torch.arange(pixels), torch.arange(units) % (pixels - 1)
    model = nn.Sequential(
        MaskedLinear((degrees[:, None] >= order).float()),
        nn.ReLU(),
        MaskedLinear((degrees[:, None] >= degrees).float()),
        nn.ReLU(),
        MaskedLinear((order[:, None] > degrees).float()),
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for (x,) in batches(700, 32, images):
            loss = nn.functional.binary_cross_entropy_with_logits(model(x), x)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="masked-autoregressive", train=_train, source="Germain et al. 2015, MADE")
