"""The discriminator of a GAN ends in a sigmoid, and its loss applies another. It can never be sure of anything."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import spirals


class Gan(nn.Module):
    def __init__(self, last: nn.Module) -> None:
        super().__init__()
        self.generator = nn.Sequential(nn.Linear(6, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 2))
        leaky = nn.LeakyReLU(0.2)
        self.discriminator = nn.Sequential(nn.Linear(2, 48), leaky, nn.Linear(48, 48), leaky, nn.Linear(48, 1), last)


def _train(setting: Setting) -> None:
    points, _ = spirals(2000)
    gan = Gan(nn.Identity() if setting.is_fixed else nn.Sigmoid())
    criterion = nn.BCEWithLogitsLoss()
    optimizer_d = torch.optim.Adam(gan.discriminator.parameters(), lr=2e-3, betas=(0.5, 0.999))
    optimizer_g = torch.optim.Adam(gan.generator.parameters(), lr=1e-3, betas=(0.5, 0.999))
    real_label, fake_label = torch.ones(64, 1), torch.zeros(64, 1)
    with setting.watch(gan):
        for step in range(150):
            real = points[torch.randint(2000, (64,))]
            fake = gan.generator(torch.randn(64, 6))
            loss_d = criterion(gan.discriminator(real), real_label) + criterion(gan.discriminator(fake.detach()), fake_label)
            optimizer_d.zero_grad()
            loss_d.backward()
            optimizer_d.step()
            loss_g = criterion(gan.discriminator(fake), real_label)
            optimizer_g.zero_grad()
            loss_g.backward()
            optimizer_g.step()
            if step % 30 == 29:
                print(f"{step}: d {loss_d.item():.3f}, g {loss_g.item():.3f}")


PROGRAM = Program(
    name="discriminator-squashed-twice",
    train=_train,
    source="PyTorch forum, probabilities for a loss of logits",
    truth=Truth(
        rules=("softmax-before-cross-entropy",),
        nodes=(
            "model.discriminator",
            "model.discriminator: output",
            "model.discriminator.5",
            *(f"model.discriminator.5{call}: output" for call in ("", " (call 2)", " (call 3)")),
            *(f"binary_cross_entropy_with_logits{call}" for call in ("", " (2)", " (3)")),
        ),
    ),
)
