"""An encoder inverts pictures into codes, and a discriminator compares its reconstructions with the pictures."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


class Inverter(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(144, 64), nn.LeakyReLU(0.2), nn.Linear(64, 16))
        self.decoder = nn.Sequential(nn.Linear(16, 64), nn.LeakyReLU(0.2), nn.Linear(64, 144))
        self.discriminator = nn.Sequential(nn.Linear(144, 48), nn.LeakyReLU(0.2), nn.Linear(48, 1))


def _train(setting: Setting) -> None:
    images, _ = digits(1200)
    flat = images.flatten(1) * 2 - 1
    model = Inverter()
    optimizer_E = torch.optim.Adam([*model.encoder.parameters(), *model.decoder.parameters()], lr=2e-3)
    optimizer_D = torch.optim.Adam(model.discriminator.parameters(), lr=5e-4)
    softplus = nn.functional.softplus
    with setting.watch(model):
        for epoch in range(5):
            for rows in torch.randperm(1200).split(40):
                real = flat[rows]
                rebuilt = model.decoder(model.encoder(real))
                loss_D = softplus(model.discriminator(rebuilt.detach())).mean() + softplus(-model.discriminator(real)).mean()
                if setting.is_fixed:
                    optimizer_D.zero_grad()
                loss_D.backward()
                optimizer_D.step()
                loss_E = nn.functional.mse_loss(rebuilt, real) + 0.02 * softplus(-model.discriminator(rebuilt)).mean()
                optimizer_E.zero_grad()
                loss_E.backward()
                optimizer_E.step()
            print(f"epoch {epoch}: encoder {loss_E.item():.4f}, discriminator {loss_D.item():.4f}")


PROGRAM = Program(
    name="images-inverted-into-codes",
    train=_train,
    source="https://github.com/Hsintien-Ng/idinvert_pytorch-reproduced/issues/1",
    truth=Truth(rules=("gradients-left-over",), nodes=("model.discriminator",), step=1),
)
