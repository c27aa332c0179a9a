"""Codes of an autoencoder are rounded, and a rounded number has no gradient: the encoder stays as it was."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Coder(nn.Module):
    def __init__(self, *, straight_through: bool) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(24, 48), nn.ReLU(), nn.Linear(48, 8))
        self.decoder = nn.Sequential(nn.Linear(8, 48), nn.ReLU(), nn.Linear(48, 24))
        self.straight_through = straight_through

    def forward(self, x: Tensor) -> Tensor:
        code = 2 * torch.tanh(self.encoder(x))
        rounded = code.round()
        if self.straight_through:
            rounded = code + (rounded - code).detach()
        return self.decoder(rounded)


def _train(setting: Setting) -> None:
    data = torch.tanh(torch.randn(2500, 5) @ torch.randn(5, 24) / 2)
    model = Coder(straight_through=setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for (x,) in batches(280, 64, data):
            loss = F.mse_loss(model(x), x)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"explained {1 - F.mse_loss(model(data), data) / data.var():.2f}")


PROGRAM = Program(
    name="codes-cut-to-integers",
    train=_train,
    source="PyTorch forum, torch.round has no gradient; Bengio et al. 2013",
    truth=Truth(
        rules=("zero-gradient", "no-gradient", "cut-path", "vanishing-gradient", "never-updated"),
        nodes=(
            "model.encoder",
            "model.encoder.0",
            "model.encoder.2",
            "model.encoder.0.weight",
            "model.encoder.2.weight",
            "model.encoder.0.bias",
            "model.encoder.2.bias",
        ),
    ),
)
