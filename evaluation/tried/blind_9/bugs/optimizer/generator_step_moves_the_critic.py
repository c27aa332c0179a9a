"""Both optimizers of a GAN hold the discriminator: the line was copied. The generator never changes."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class Gan(nn.Module):
    def __init__(self, noise: int = 4) -> None:
        super().__init__()
        self.noise = noise
        self.generator = nn.Sequential(nn.Linear(noise, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 2))
        self.discriminator = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))

    def sample(self, count: int) -> Tensor:
        return self.generator(torch.randn(count, self.noise))


def heights_and_weights(count: int) -> Tensor:
    height = 1.7 + 0.1 * torch.randn(count)
    weight = 0.75 + 1.2 * (height - 1.7) + 0.08 * torch.randn(count)
    return 4 * torch.stack([height - 1.4, weight - 0.4], dim=1)


def _train(setting: Setting) -> None:
    gan = Gan()
    moved = gan.generator if setting.is_fixed else gan.discriminator
    optimizer_d = torch.optim.Adam(gan.discriminator.parameters(), lr=2e-3, betas=(0.5, 0.99))
    optimizer_g = torch.optim.Adam(moved.parameters(), lr=2e-3, betas=(0.5, 0.99))
    bce = nn.functional.binary_cross_entropy_with_logits
    with setting.watch(gan):
        for step in range(140):
            real, fake = heights_and_weights(64), gan.sample(64)
            loss_d = bce(gan.discriminator(real), torch.ones(64, 1)) + bce(gan.discriminator(fake.detach()), torch.zeros(64, 1))
            optimizer_d.zero_grad()
            loss_d.backward()
            optimizer_d.step()

            loss_g = bce(gan.discriminator(gan.sample(64)), torch.ones(64, 1))
            optimizer_g.zero_grad()
            loss_g.backward()
            optimizer_g.step()
            if step % 35 == 34:
                away = (gan.sample(500).mean(dim=0) - heights_and_weights(500).mean(dim=0)).norm()
                print(f"{step}: d {loss_d.item():.3f}, g {loss_g.item():.3f}, means differ by {away.item():.2f}")


PROGRAM = Program(
    name="generator-step-moves-the-critic",
    train=_train,
    source="Humbatova et al. 2020, optimizer over the wrong parameters; forum questions on copied lines of GANs",
    truth=Truth(
        rules=("not-in-optimizer", "never-updated"),
        nodes=("model.generator", *(f"model.generator.{n}{part}" for n in (0, 2, 4) for part in ("", ".weight", ".bias"))),
    ),
)
