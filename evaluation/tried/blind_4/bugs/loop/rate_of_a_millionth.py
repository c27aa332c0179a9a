"""An autoencoder is trained by SGD with a learning rate of a millionth, so nothing moves."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    latent = torch.randn(1600, 4)
    spectra = torch.tanh(latent @ torch.randn(4, 30)) + 0.05 * torch.randn(1600, 30)
    encoder = nn.Sequential(nn.Linear(30, 16), nn.ReLU(), nn.Linear(16, 4))
    decoder = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 30))
    model = nn.Sequential(encoder, decoder)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2 if setting.is_fixed else 1e-6, momentum=0.9)
    with setting.watch(model):
        for _ in range(12):
            for index in torch.randperm(1600).split(40):
                batch = spectra[index]
                optimizer.zero_grad()
                loss = (model(batch) - batch).square().mean()
                loss.backward()
                optimizer.step()
            print(loss.item())


PROGRAM = Program(
    name="rate-of-a-millionth",
    train=_train,
    source="Zhang et al. 2018: learning rate too low, training is very slow",
    truth=Truth(rules=("updates-too-small", "loss-does-not-fall")),
)
