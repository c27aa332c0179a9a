"""Signals have mean 0 and deviation 1, and the decoder ends in a sigmoid, which has no value below zero."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class _Autoencoder(nn.Module):
    def __init__(self, is_bounded: bool) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(40, 24), nn.ReLU(), nn.Linear(24, 6))
        self.decoder = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 40))
        self.output = nn.Sigmoid() if is_bounded else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        return self.output(self.decoder(self.encoder(x)))


def _train(setting: Setting) -> None:
    time = torch.linspace(0, 6.28, 40)
    beats = torch.sin(torch.randint(1, 4, (1500, 1)) * time + 6.28 * torch.rand(1500, 1)) * (0.5 + torch.rand(1500, 1))
    beats = (beats - beats.mean()) / beats.std()
    model = _Autoencoder(is_bounded=not setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for _ in range(14):
            for index in torch.randperm(1500).split(48):
                batch = beats[index]
                loss = nn.functional.mse_loss(model(batch), batch)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print("loss", loss.item())


PROGRAM = Program(
    name="sigmoid-decodes-standardized-signals",
    train=_train,
    source="Humbatova et al. 2020, activation function: wrong type of activation function",
    truth=Truth(
        # The first is named in the truth since the program was tried: it is the bug itself.
        rules=("target-out-of-range", "saturated-units", "loss-does-not-fall", "vanishing-gradient"),
        nodes=("model.output", "model.decoder.2"),
    ),
)
