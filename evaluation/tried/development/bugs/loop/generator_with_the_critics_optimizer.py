"""The generator's turn steps the optimizer of the discriminator."""

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

    def forward(self, noise: Tensor, real: Tensor) -> tuple[Tensor, Tensor]:
        return self.discriminator(self.generator(noise)), self.discriminator(real)


def _train(setting: Setting) -> None:
    angle = 6.28 * torch.rand(2000)
    points = torch.stack([torch.cos(angle), torch.sin(angle)], dim=1) + 0.05 * torch.randn(2000, 2)
    model = Gan()
    critic = torch.optim.Adam(model.discriminator.parameters(), lr=1e-3, betas=(0.5, 0.9))
    generator = torch.optim.Adam(model.generator.parameters(), lr=1e-3, betas=(0.5, 0.9))
    with setting.watch(model):
        for (real,) in batches(500, 64, points):
            fakes, reals = model(torch.randn(64, 4), real)
            loss = nn.functional.softplus(fakes).mean() + nn.functional.softplus(-reals).mean()
            critic.zero_grad()
            loss.backward()
            critic.step()
            fakes, _ = model(torch.randn(64, 4), real)
            loss = nn.functional.softplus(-fakes).mean()
            generator.zero_grad()
            loss.backward()
            (generator if setting.is_fixed else critic).step()


PROGRAM = Program(
    name="generator-with-the-critics-optimizer",
    train=_train,
    source="PyTorch forum, two optimizers",
    truth=Truth(rules=("never-updated", "not-in-optimizer"), nodes=("model.generator", "model.generator.0", "model.generator.2")),
)
