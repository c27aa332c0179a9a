"""The score of the made pictures is detached in the generator's turn as well: the generator never learns."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class Gan(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.generator = nn.Sequential(nn.Linear(4, 32), nn.LeakyReLU(0.2), nn.Linear(32, 32), nn.LeakyReLU(0.2), nn.Linear(32, 2))
        self.discriminator = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))

    def forward(self, z: Tensor, real: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        fake = self.generator(z)
        return fake, self.discriminator(fake.detach()), self.discriminator(real)


def _train(setting: Setting) -> None:
    angle = 6.28 * torch.rand(3000)
    data = torch.stack([torch.cos(angle), torch.sin(angle)], dim=1) * 1.5 + 0.1 * torch.randn(3000, 2) + 1
    gan = Gan()
    opt_g = torch.optim.Adam(gan.generator.parameters(), lr=1e-3, betas=(0.5, 0.99))
    opt_d = torch.optim.Adam(gan.discriminator.parameters(), lr=1e-3, betas=(0.5, 0.99))
    bce = nn.BCEWithLogitsLoss()
    with setting.watch(gan):
        for step in range(200):
            real = data[torch.randint(0, 3000, (64,))]
            fake, pred_fake, pred_real = gan(torch.randn(64, 4), real)
            err_d = bce(pred_real, torch.ones(64, 1)) + bce(pred_fake, torch.zeros(64, 1))
            opt_d.zero_grad()
            err_d.backward()
            opt_d.step()
            pred = gan.discriminator(fake if setting.is_fixed else fake.detach())
            err_g = bce(pred, torch.ones(64, 1))
            opt_g.zero_grad()
            err_g.backward()
            opt_g.step()
            if step % 40 == 0:
                print(f"{step}: d {err_d.item():.3f}, g {err_g.item():.3f}, mean of the made {fake.mean().item():.2f}")


PROGRAM = Program(
    name="fake-score-cut-for-the-generator",
    train=_train,
    source="https://github.com/wangle53/CSA-CDGAN/issues/5",
    truth=Truth(rules=("cut-path", "no-gradient", "never-updated"), nodes=("model.generator",)),
)
