"""A network with sines as activations learns a single picture by heart, from places to brightness. That is what it is for."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.shapes_and_sentences import shapes


class Sine(nn.Module):
    def __init__(self, inputs: int, outputs: int, frequency: float, first: bool = False) -> None:
        super().__init__()
        self.frequency = frequency
        self.linear = nn.Linear(inputs, outputs)
        bound = 1 / inputs if first else math.sqrt(6 / inputs) / frequency
        nn.init.uniform_(self.linear.weight, -bound, bound)

    def forward(self, x: Tensor) -> Tensor:
        return torch.sin(self.frequency * self.linear(x))


def _train(setting: Setting) -> None:
    picture = shapes(1, size=24, noise=0.1).images[0, 0]
    line = torch.linspace(-1, 1, 24)
    places = torch.cartesian_prod(line, line)
    brightness = picture.reshape(-1, 1)
    net = nn.Sequential(Sine(2, 48, 15, first=True), Sine(48, 48, 15), Sine(48, 48, 15), nn.Linear(48, 1))
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    with setting.watch(net):
        for step in range(150):
            loss = nn.functional.mse_loss(net(places), brightness)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 30 == 29:
                print(f"{step}: {loss.item():.4f}")


PROGRAM = Program(name="one-picture-in-sines", train=_train, source="Sitzmann et al. 2020, implicit representations with sines")
