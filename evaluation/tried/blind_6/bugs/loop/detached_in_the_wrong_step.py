"""The fake samples are detached for both losses of a GAN. The generator's own loss never reaches the generator."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    generator = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 2))
    critic = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
    optimizer_g = torch.optim.Adam(generator.parameters(), lr=2e-3, betas=(0.5, 0.99))
    optimizer_c = torch.optim.Adam(critic.parameters(), lr=2e-3, betas=(0.5, 0.99))
    both = nn.ModuleDict({"generator": generator, "critic": critic})
    with setting.watch(both):
        for _ in range(250):
            real = torch.randn(64, 2) * torch.tensor([0.5, 0.2]) + torch.tensor([1.5, -1.0])
            fake = generator(torch.randn(64, 4))
            optimizer_c.zero_grad()
            loss_c = F.softplus(-critic(real)).mean() + F.softplus(critic(fake.detach())).mean()
            loss_c.backward()
            optimizer_c.step()
            optimizer_g.zero_grad()
            loss_g = F.softplus(-critic(fake if setting.is_fixed else fake.detach())).mean()
            loss_g.backward()
            optimizer_g.step()
    print(f"mean of the fakes {fake.mean(dim=0).tolist()}, real 1.5 -1.0")


PROGRAM = Program(
    name="detached-in-the-wrong-step",
    train=_train,
    source="PyTorch forum, detach in the generator step of a GAN",
    truth=Truth(
        rules=("no-gradient", "cut-path", "never-updated", "frozen-as-initialized"),
        nodes=(
            "model.generator.0",
            "model.generator.0.weight",
            "model.generator.0.bias",
            "model.generator.2",
            "model.generator.2.weight",
            "model.generator.2.bias",
            "model.generator.4",
            "model.generator.4.weight",
            "model.generator.4.bias",
        ),
    ),
)
