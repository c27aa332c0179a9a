"""The discriminator of a GAN is never cleared: the gradients of the generator's turn are still in it."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class Pair(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.generator = nn.Sequential(nn.Linear(4, 32), nn.LeakyReLU(0.2), nn.Linear(32, 32), nn.LeakyReLU(0.2), nn.Linear(32, 2))
        self.discriminator = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))


def real_points(count: int) -> Tensor:
    angle = 6.2832 * torch.rand(count)
    return torch.stack([angle.cos(), angle.sin()], dim=1) + 0.05 * torch.randn(count, 2)


def _train(setting: Setting) -> None:
    gan = Pair()
    optimizer_g = torch.optim.Adam(gan.generator.parameters(), lr=1e-3, betas=(0.5, 0.99))
    optimizer_d = torch.optim.Adam(gan.discriminator.parameters(), lr=1e-3, betas=(0.5, 0.99))
    bce = nn.BCEWithLogitsLoss()
    ones, zeros = torch.ones(64, 1), torch.zeros(64, 1)
    with setting.watch(gan):
        for step in range(300):
            if setting.is_fixed:
                optimizer_d.zero_grad()
            fake = gan.generator(torch.randn(64, 4))
            d_loss = bce(gan.discriminator(real_points(64)), ones) + bce(gan.discriminator(fake.detach()), zeros)
            d_loss.backward()
            optimizer_d.step()

            optimizer_g.zero_grad()
            g_loss = bce(gan.discriminator(fake), ones)
            g_loss.backward()
            optimizer_g.step()
            if step % 100 == 0:
                print(f"{step}: D {d_loss.item():.3f} G {g_loss.item():.3f}")


PROGRAM = Program(
    name="discriminator-keeps-gradients",
    train=_train,
    source="PyTorch forum, zero_grad in GAN training",
    truth=Truth(
        rules=("gradients-left-over",),
        nodes=("model.discriminator", "model.discriminator.0", "model.discriminator.2", "model.discriminator.4"),
        step=1,
    ),
)
