"""The decoder of a convolutional autoencoder has a ReLU directly in front of its tanh, so no pixel can be negative."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, digits
from evaluation.program import Program, Setting, Truth


class Autoencoder(nn.Module):
    def __init__(self, last: nn.Module) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Conv2d(1, 8, 3, stride=2, padding=1), nn.ReLU(), nn.Conv2d(8, 8, 3, stride=2, padding=1), nn.ReLU())
        self.decoder = nn.Sequential(
            nn.ConvTranspose2d(8, 8, 4, stride=2, padding=1),
            nn.ReLU(),
            nn.ConvTranspose2d(8, 1, 4, stride=2, padding=1),
            last,
            nn.Tanh(),
        )

    def forward(self, images: Tensor) -> Tensor:
        return self.decoder(self.encoder(images))


def _train(setting: Setting) -> None:
    images = 2 * digits(1200)[0] - 1
    model = Autoencoder(nn.Identity() if setting.is_fixed else nn.ReLU())
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for (x,) in batches(500, 32, images):
            loss = nn.functional.mse_loss(model(x), x)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="relu-before-tanh",
    train=_train,
    source="PyTorch forum, generators and autoencoders that end in ReLU and Tanh",
    truth=Truth(
        rules=("activation-after-activation", "target-out-of-range"),
        nodes=("model.decoder.3: output", "model.decoder.4: output", "model.decoder.3", "model.decoder.4", "model: output"),
    ),
)
