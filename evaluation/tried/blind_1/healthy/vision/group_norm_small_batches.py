"""Two pictures fit into memory: group norm instead of batch norm, weight standardization, and sixteen batches per update."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting
from evaluation.shapes_and_sentences import shapes


class StandardizedConv(nn.Conv2d):
    def forward(self, x: Tensor) -> Tensor:
        weight = self.weight - self.weight.mean(dim=(1, 2, 3), keepdim=True)
        weight = weight / (weight.std(dim=(1, 2, 3), keepdim=True) + 1e-5)
        return nn.functional.conv2d(x, weight, self.bias, self.stride, self.padding)


def _train(setting: Setting) -> None:
    data = shapes(900, size=12)
    model = nn.Sequential(
        StandardizedConv(1, 16, 3, padding=1),
        nn.GroupNorm(4, 16),
        nn.ReLU(),
        nn.MaxPool2d(2),
        StandardizedConv(16, 16, 3, padding=1),
        nn.GroupNorm(4, 16),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(144, 4),
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
    accumulate = 16
    with setting.watch(model):
        for step, (x, y) in enumerate(batches(1280, 2, data.images, data.classes), start=1):
            loss = nn.functional.cross_entropy(model(x), y) / accumulate
            loss.backward()
            if step % accumulate == 0:
                optimizer.step()
                optimizer.zero_grad()


PROGRAM = Program(name="group-norm-small-batches", train=_train, source="Wu and He 2018, Qiao et al. 2019")
