"""A Wasserstein GAN with a gradient penalty forges tables of correlated measurements."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class WassersteinGan(nn.Module):
    def __init__(self, noise: int, size: int, width: int = 64) -> None:
        super().__init__()
        self.generator = nn.Sequential(nn.Linear(noise, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, size))
        self.critic = nn.Sequential(
            nn.Linear(size, width), nn.LeakyReLU(0.2), nn.Linear(width, width), nn.LeakyReLU(0.2), nn.Linear(width, 1)
        )

    def forward(self, noise: Tensor) -> Tensor:
        return self.generator(noise)


def gradient_penalty(critic: nn.Module, real: Tensor, fake: Tensor) -> Tensor:
    mix = torch.rand(len(real), 1)
    between = (mix * real + (1 - mix) * fake).requires_grad_()
    (gradient,) = torch.autograd.grad(critic(between).sum(), between, create_graph=True)
    return (gradient.norm(dim=1) - 1).square().mean()


def _train(setting: Setting) -> None:
    table = torch.tensor([1.5, -1.0, 0.8, 2.0]) + torch.randn(2000, 4) @ (0.5 * torch.randn(4, 4))
    gan = WassersteinGan(8, 4)
    critic_optimizer = torch.optim.Adam(gan.critic.parameters(), lr=2e-3, betas=(0.0, 0.9))
    generator_optimizer = torch.optim.Adam(gan.generator.parameters(), lr=1e-3, betas=(0.0, 0.9))
    with setting.watch(gan):
        for step in range(120):
            for _ in range(3):
                real = table[torch.randint(2000, (64,))]
                fake = gan(torch.randn(64, 8)).detach()
                distance = gan.critic(real).mean() - gan.critic(fake).mean()
                critic_loss = 2 * gradient_penalty(gan.critic, real, fake) - distance
                critic_optimizer.zero_grad()
                critic_loss.backward()
                critic_optimizer.step()
            fake = gan(torch.randn(64, 8))
            generator_loss = -gan.critic(fake).mean()
            generator_optimizer.zero_grad()
            generator_loss.backward()
            generator_optimizer.step()
            if step % 15 == 14:
                gap = (fake.mean(dim=0) - table.mean(dim=0)).abs().mean().item()
                print(f"{step + 1}: distance {distance.item():.3f}, means differ by {gap:.3f}")


PROGRAM = Program(name="measurements-forged-with-a-penalty", train=_train, source="Gulrajani et al. 2017, WGAN-GP")
