"""The fake pictures are detached once for both losses, so the generator never learns."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth
from evaluation.shapes_and_sentences import shapes


def _train(setting: Setting) -> None:
    pictures = shapes(600, size=10, noise=0.1).images
    generator = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 100), nn.Unflatten(1, (1, 10, 10)))
    discriminator = nn.Sequential(
        nn.Conv2d(1, 12, 3, stride=2), nn.LeakyReLU(0.2), nn.Conv2d(12, 16, 3), nn.LeakyReLU(0.2), nn.Flatten(), nn.Linear(64, 1)
    )
    gan = nn.ModuleDict({"generator": generator, "discriminator": discriminator})
    optimizers = {name: torch.optim.Adam(part.parameters(), lr=1e-3, betas=(0.5, 0.99)) for name, part in gan.items()}
    with setting.watch(gan):
        for _ in range(200):
            real = pictures[torch.randint(600, (32,))]
            fake = generator(torch.randn(32, 8))
            seen = fake.detach()
            d_loss = nn.functional.softplus(-discriminator(real)).mean() + nn.functional.softplus(discriminator(seen)).mean()
            optimizers["discriminator"].zero_grad()
            d_loss.backward()
            optimizers["discriminator"].step()

            g_loss = nn.functional.softplus(-discriminator(fake if setting.is_fixed else seen)).mean()
            optimizers["generator"].zero_grad()
            g_loss.backward()
            optimizers["generator"].step()


PROGRAM = Program(
    name="generator-behind-a-detach",
    train=_train,
    source="PyTorch forum, detach in the generator's step of the DCGAN tutorial",
    truth=Truth(
        rules=("cut-path", "no-gradient", "never-updated"),
        nodes=(
            "model.generator",
            "model.generator: output",
            *(f"model.generator.{i}{name}" for i in (0, 2, 3) for name in ("", ".weight", ".bias", ": output")),
            "model.discriminator: input",
            "model.discriminator.0: input",
        ),
    ),
)
