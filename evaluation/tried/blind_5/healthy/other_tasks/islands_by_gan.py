"""A generator learns four islands in the plane from a discriminator that is trained in turns with it."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import softplus

from evaluation.program import Program, Setting


class _Pair(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.generator = nn.Sequential(nn.Linear(6, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))
        self.critic = nn.Sequential(nn.Linear(2, 64), nn.LeakyReLU(0.2), nn.Linear(64, 64), nn.LeakyReLU(0.2), nn.Linear(64, 1))

    def forward(self, noise: Tensor) -> Tensor:
        return self.critic(self.generator(noise))


def _train(setting: Setting) -> None:
    centers = torch.tensor([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    pair = _Pair()
    for_generator = torch.optim.Adam(pair.generator.parameters(), lr=1e-3, betas=(0.5, 0.9))
    for_critic = torch.optim.Adam(pair.critic.parameters(), lr=2e-3, betas=(0.5, 0.9))
    with setting.watch(pair):
        for _ in range(600):
            real = centers[torch.randint(0, 4, (96,))] + 0.2 * torch.randn(96, 2)
            with torch.no_grad():
                fake = pair.generator(torch.randn(96, 6))
            loss = softplus(-pair.critic(real)).mean() + softplus(pair.critic(fake)).mean()
            for_critic.zero_grad()
            loss.backward()
            for_critic.step()
            pair.critic.requires_grad_(False)
            loss = softplus(-pair(torch.randn(96, 6))).mean()
            for_generator.zero_grad()
            loss.backward()
            for_generator.step()
            pair.critic.requires_grad_(True)
    with torch.no_grad():
        points = pair.generator(torch.randn(1000, 6))
    near, island = torch.cdist(points, centers).min(1)
    print("distance", near.mean().item(), "per island", island.bincount(minlength=4).tolist())


PROGRAM = Program(name="islands-by-gan", train=_train, source="Goodfellow et al. 2014, with the loss that does not saturate")
