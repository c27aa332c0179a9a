"""An autoencoder ends in a sigmoid, and its images hold bytes from 0 to 255."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, digits
from evaluation.program import Program, Setting, Truth


class AutoEncoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Flatten(), nn.Linear(144, 32), nn.ReLU(), nn.Linear(32, 12))
        self.decoder = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 144), nn.Sigmoid())

    def forward(self, x: Tensor) -> Tensor:
        return self.decoder(self.encoder(x))


def _train(setting: Setting) -> None:
    images, _ = digits()
    if not setting.is_fixed:
        images = (255 * images).round()
    model = AutoEncoder()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for (x,) in batches(900, 32, images):
            loss = nn.functional.mse_loss(model(x), x.flatten(1))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="autoencoder-for-bytes",
    train=_train,
    source="Keras forum, images not divided by 255",
    truth=Truth(
        rules=("target-out-of-range", "input-not-normalized"), nodes=("model: input x", "model.decoder.3: output", "model.decoder: output")
    ),
)
