"""The generator is trained on `D(fake.detach())`, copied from the step of the discriminator: it never gets a gradient."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class Gan(nn.Module):
    def __init__(self, noise: int = 8, size: int = 4) -> None:
        super().__init__()
        self.generator = nn.Sequential(nn.Linear(noise, 96), nn.ReLU(), nn.Linear(96, size))
        self.discriminator = nn.Sequential(nn.Linear(size, 64), nn.LeakyReLU(0.2), nn.Linear(64, 1))

    def forward(self, noise: Tensor) -> Tensor:
        return self.generator(noise)


def _train(setting: Setting) -> None:
    flowers = torch.tensor([1.5, -1.0, 0.8, 2.0]) + torch.randn(1200, 4) @ (0.4 * torch.randn(4, 4))
    gan = Gan()
    netg, netd = gan.generator, gan.discriminator
    optimizer_g = torch.optim.Adam(netg.parameters(), lr=1e-3, betas=(0.5, 0.999))
    optimizer_d = torch.optim.Adam(netd.parameters(), lr=3e-3, betas=(0.5, 0.999))
    bce = nn.BCEWithLogitsLoss()
    ones, zeros = torch.ones(48, 1), torch.zeros(48, 1)
    with setting.watch(gan):
        for i in range(150):
            real = flowers[torch.randint(1200, (48,))]
            fake = netg(torch.randn(48, 8))
            optimizer_d.zero_grad()
            err_d = bce(netd(real), ones) + bce(netd(fake.detach()), zeros)
            err_d.backward()
            optimizer_d.step()

            optimizer_g.zero_grad()
            pred_fake = netd(fake if setting.is_fixed else fake.detach())
            err_g = bce(pred_fake, ones)
            err_g.backward()
            optimizer_g.step()
            if i % 25 == 24:
                gap = (fake.mean(dim=0) - flowers.mean(dim=0)).abs().mean().item()
                print(f"[{i + 1}/150] Loss_D: {err_d.item():.4f} Loss_G: {err_g.item():.4f}, means differ by {gap:.3f}")


PROGRAM = Program(
    name="fakes-detached-for-the-forger",
    train=_train,
    source="GitHub wangle53/CSA-CDGAN#5, 'you detach the pred_fake, so the loss cannot update anything'",
    truth=Truth(
        rules=("no-gradient", "cut-path", "never-updated"),
        nodes=("model.generator", "model.generator.0", "model.generator.2", "model.generator: output", "model.discriminator: input"),
    ),
)
