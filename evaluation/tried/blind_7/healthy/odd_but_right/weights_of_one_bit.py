"""Weights are rounded to their signs in the forward pass, and gradients pass straight through."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting


class BinaryLinear(nn.Linear):
    def forward(self, x: Tensor) -> Tensor:
        scale = self.weight.abs().mean()
        binary = self.weight + (scale * self.weight.sign() - self.weight).detach()
        return nn.functional.linear(x, binary, self.bias)


def _train(setting: Setting) -> None:
    x, y = class_blobs(1800, 20, 4)
    net = nn.Sequential(BinaryLinear(20, 96), nn.BatchNorm1d(96), nn.Hardtanh(), BinaryLinear(96, 48), nn.ReLU(), nn.Linear(48, 4))
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    with setting.watch(net):
        for some, labels in batches(250, 60, x, y):
            loss = nn.functional.cross_entropy(net(some), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="weights-of-one-bit", train=_train, source="Rastegari et al. 2016 (XNOR-Net), Bengio et al. 2013")
