"""An autoencoder whose decoder uses the transposed weights of its encoder, on spectra between 0 and 1."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting


class TiedAutoencoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc1 = nn.Linear(40, 24)
        self.fc2 = nn.Linear(24, 5)
        self.bias1 = nn.Parameter(torch.zeros(24))
        self.bias2 = nn.Parameter(torch.zeros(40))

    def forward(self, x: Tensor) -> Tensor:
        z = self.fc2(torch.sigmoid(self.fc1(x)))
        h = torch.sigmoid(nn.functional.linear(z, self.fc2.weight.T, self.bias1))
        return nn.functional.linear(h, self.fc1.weight.T, self.bias2)


def _train(setting: Setting) -> None:
    grid = torch.linspace(0, 1, 40)
    place, width = torch.rand(1500, 1), 0.05 + 0.2 * torch.rand(1500, 1)
    spectra = torch.exp(-(((grid - place) / width) ** 2)) + 0.02 * torch.randn(1500, 40)
    model = TiedAutoencoder()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for (x,) in batches(800, 32, spectra):
            loss = nn.functional.mse_loss(model(x), x)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="tied-autoencoder", train=_train, source="Vincent et al. 2010, stacked autoencoders with tied weights")
