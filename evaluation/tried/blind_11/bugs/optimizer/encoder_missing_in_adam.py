"""`Adam(model.decoder.parameters())`: the encoder of an autoencoder stays as it was drawn."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


class AutoEncoder(nn.Module):
    def __init__(self, code: int) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(144, 64), nn.Tanh(), nn.Linear(64, code))
        self.decoder = nn.Sequential(nn.Linear(code, 64), nn.Tanh(), nn.Linear(64, 144), nn.Sigmoid())

    def forward(self, x: Tensor) -> Tensor:
        return self.decoder(self.encoder(x))


def _train(setting: Setting) -> None:
    images, _ = digits(1500)
    flat = images.flatten(1)
    autoencoder = AutoEncoder(6)
    parameters = list(autoencoder.decoder.parameters())
    if setting.is_fixed:
        parameters += list(autoencoder.encoder.parameters())
    optimizer = torch.optim.Adam(parameters, lr=5e-3)
    loss_func = nn.MSELoss()
    with setting.watch(autoencoder):
        for epoch in range(8):
            for rows in torch.randperm(1500).split(50):
                decoded = autoencoder(flat[rows])
                loss = loss_func(decoded, flat[rows])
                autoencoder.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"Epoch: {epoch} | train loss: {loss.item():.4f}")


PROGRAM = Program(
    name="encoder-missing-in-adam",
    train=_train,
    source="GitHub bubbliiiing/efficientdet-pytorch#37, weights with gradients that never change: they are not in param_groups",
    truth=Truth(
        rules=("not-in-optimizer", "never-updated"), nodes=("model.encoder", "model.encoder.0", "model.encoder.2", "model.encoder.0.weight")
    ),
)
