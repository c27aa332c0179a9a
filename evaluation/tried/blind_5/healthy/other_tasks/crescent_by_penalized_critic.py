"""A critic with a penalty on its gradient takes three steps for each step of a generator of points on a crescent."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


def _real(count: int) -> Tensor:
    angle = 3.1416 * torch.rand(count)
    return torch.stack([angle.cos(), angle.sin() - 0.6], dim=1) + 0.05 * torch.randn(count, 2)


def _train(setting: Setting) -> None:
    generator = nn.Sequential(nn.Linear(4, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 2))
    critic = nn.Sequential(nn.Linear(2, 48), nn.LeakyReLU(0.2), nn.Linear(48, 48), nn.LeakyReLU(0.2), nn.Linear(48, 1))
    both = nn.ModuleDict({"generator": generator, "critic": critic})
    for_generator = torch.optim.Adam(generator.parameters(), lr=1e-3, betas=(0.5, 0.9))
    for_critic = torch.optim.Adam(critic.parameters(), lr=3e-3, betas=(0.5, 0.9))
    with setting.watch(both):
        for _ in range(250):
            for _ in range(3):
                real, fake = _real(64), generator(torch.randn(64, 4)).detach()
                between = (real + torch.rand(64, 1) * (fake - real)).requires_grad_()
                (slope,) = torch.autograd.grad(critic(between).sum(), between, create_graph=True)
                penalty = (slope.norm(dim=1) - 1).pow(2).mean()
                loss = critic(fake).mean() - critic(real).mean() + 0.5 * penalty
                for_critic.zero_grad()
                loss.backward()
                for_critic.step()
            loss = -critic(generator(torch.randn(64, 4))).mean()
            for_generator.zero_grad()
            loss.backward()
            for_generator.step()
    with torch.no_grad():
        points = generator(torch.randn(500, 4))
    print("distance", torch.cdist(points, _real(2000)).amin(1).mean().item(), "spread", points.std(0).tolist())


PROGRAM = Program(name="crescent-by-penalized-critic", train=_train, source="Gulrajani et al. 2017: WGAN with gradient penalty")
