"""A discriminator ends in a sigmoid, and its loss is `BCEWithLogitsLoss`."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class Discriminator(nn.Sequential):
    def __init__(self, *last: nn.Module) -> None:
        super().__init__(nn.Linear(2, 64), nn.LeakyReLU(0.2), nn.Linear(64, 64), nn.LeakyReLU(0.2), nn.Linear(64, 1), *last)


def corners(count: int) -> Tensor:
    return (torch.randint(2, (count, 2)) * 2 - 1) + 0.15 * torch.randn(count, 2)


def _train(setting: Setting) -> None:
    last = () if setting.is_fixed else (nn.Sigmoid(),)
    gan = nn.ModuleDict(
        {
            "generator": nn.Sequential(nn.Linear(4, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 2)),
            "discriminator": Discriminator(*last),
        }
    )
    g, d = gan["generator"], gan["discriminator"]
    opt_g = torch.optim.Adam(g.parameters(), lr=1e-3, betas=(0.5, 0.999))
    opt_d = torch.optim.Adam(d.parameters(), lr=1e-3, betas=(0.5, 0.999))
    criterion = nn.BCEWithLogitsLoss()
    ones, zeros = torch.ones(64, 1), torch.zeros(64, 1)
    with setting.watch(gan):
        for _ in range(250):
            fake = g(torch.randn(64, 4))
            d_loss = criterion(d(corners(64)), ones) + criterion(d(fake.detach()), zeros)
            opt_d.zero_grad()
            d_loss.backward()
            opt_d.step()

            g_loss = criterion(d(fake), ones)
            opt_g.zero_grad()
            g_loss.backward()
            opt_g.step()


PROGRAM = Program(
    name="critic-answers-in-probabilities",
    train=_train,
    source="PyTorch forum, sigmoid with BCEWithLogitsLoss in a GAN; Islam et al. 2019",
    truth=Truth(
        rules=("softmax-before-cross-entropy",),
        nodes=("model.discriminator.5", "model.discriminator.5: output", "model.discriminator: output", "model.discriminator"),
    ),
)
