"""Images are compressed to eight numbers and decoded by transposed convolutions with a sigmoid at the end."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class _Autoencoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(1, 8, 3, stride=2, padding=1), nn.ReLU(), nn.Conv2d(8, 16, 3, stride=2, padding=1), nn.ReLU(),
            nn.Flatten(), nn.Linear(256, 8),
        )  # fmt: skip
        self.decoder = nn.Sequential(
            nn.Linear(8, 256), nn.ReLU(), nn.Unflatten(1, (16, 4, 4)), nn.ConvTranspose2d(16, 8, 2, stride=2), nn.ReLU(),
            nn.ConvTranspose2d(8, 1, 2, stride=2), nn.Sigmoid(),
        )  # fmt: skip

    def forward(self, x: Tensor) -> Tensor:
        return self.decoder(self.encoder(x))


def _train(setting: Setting) -> None:
    grid = torch.arange(16.0)
    row, column = 3 + 10 * torch.rand(2, 1000, 1, 1)
    images = torch.exp(-((grid[:, None] - row) ** 2 + (grid[None] - column) ** 2) / 8)[:, None]
    model = _Autoencoder()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for _ in range(9):
            for index in torch.randperm(1000).split(32):
                loss = nn.functional.mse_loss(model(images[index]), images[index])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print("loss", loss.item())


PROGRAM = Program(name="convolutional-autoencoder", train=_train, source="Keras blog: building autoencoders")
