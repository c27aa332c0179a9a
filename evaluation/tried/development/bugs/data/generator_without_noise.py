"""The generator of a GAN gets noise that is multiplied by 0."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Gan(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.generator = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
        self.discriminator = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))

    def forward(self, noise: Tensor) -> Tensor:
        return self.discriminator(self.generator(noise))


def _train(setting: Setting) -> None:
    angle = 6.28 * torch.rand(2000)
    points = torch.stack([torch.cos(angle), torch.sin(angle)], dim=1) + 0.05 * torch.randn(2000, 2)
    temperature = 1.0 if setting.is_fixed else 0.0
    model = Gan()
    critic = torch.optim.Adam(model.discriminator.parameters(), lr=1e-3, betas=(0.5, 0.9))
    generator = torch.optim.Adam(model.generator.parameters(), lr=1e-3, betas=(0.5, 0.9))
    with setting.watch(model):
        for (real,) in batches(500, 64, points):
            loss = nn.functional.softplus(model(temperature * torch.randn(64, 4))).mean()
            loss = loss + nn.functional.softplus(-model.discriminator(real)).mean()
            critic.zero_grad()
            loss.backward()
            critic.step()
            loss = nn.functional.softplus(-model(temperature * torch.randn(64, 4))).mean()
            generator.zero_grad()
            loss.backward()
            generator.step()


PROGRAM = Program(
    name="generator-without-noise",
    train=_train,
    source="mode collapse in GANs",
    truth=Truth(
        rules=("constant-input", "same-for-all-samples"),
        nodes=("model: input noise", "model.generator: output", "model.generator.0: output"),
    ),
)
