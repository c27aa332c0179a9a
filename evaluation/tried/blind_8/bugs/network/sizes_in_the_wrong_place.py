"""A list of widths has the number of outputs in the middle: everything goes through a single unit."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


class Encoder(nn.Module):
    def __init__(self, widths: list[int]) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 8, 3, stride=2)
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(widths))

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        h = torch.relu(self.conv(image)).flatten(1)
        for layer in self.layers[:-1]:
            h = torch.tanh(layer(h))
        return self.layers[-1](h)


def _train(setting: Setting) -> None:
    loader = DataLoader(TensorDataset(*digits(1200)), batch_size=40, shuffle=True)
    widths = [200, 64, 32, 6] if setting.is_fixed else [200, 64, 1, 6]
    net = Encoder(widths)
    opt = torch.optim.Adam(net.parameters(), lr=2e-3)
    with setting.watch(net):
        for epoch in range(8):
            hits = 0
            for image, label in loader:
                scores = net(image)
                loss = nn.functional.cross_entropy(scores, label)
                opt.zero_grad()
                loss.backward()
                opt.step()
                hits += int((scores.argmax(dim=1) == label).sum())
            print(f"epoch {epoch}: {hits / 1200:.3f}")


PROGRAM = Program(
    name="sizes-in-the-wrong-place",
    train=_train,
    source="Humbatova et al. 2020, model: suboptimal number of neurons",
    truth=Truth(
        rules=("one-unit-bottleneck",),
        nodes=("model.layers.1", "model.layers.1.weight", "model.layers.1: output", "model.layers.2: input", "model.layers.2"),
    ),
)
