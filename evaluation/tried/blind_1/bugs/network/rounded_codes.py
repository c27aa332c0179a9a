"""An autoencoder rounds its codes with `torch.round`, whose derivative is 0, so the encoder never learns."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Compressor(nn.Module):
    def __init__(self, straight_through: bool) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 6))
        self.decoder = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 20))
        self.straight_through = straight_through

    def forward(self, x: Tensor) -> Tensor:
        z = 4 * torch.tanh(self.encoder(x))
        codes = torch.round(z)
        if self.straight_through:
            codes = z + (codes - z).detach()
        return self.decoder(codes)


def _train(setting: Setting) -> None:
    signals = torch.tanh(torch.randn(2000, 4) @ torch.randn(4, 20))
    model = Compressor(straight_through=setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for (x,) in batches(600, 32, signals):
            loss = nn.functional.mse_loss(model(x), x)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="rounded-codes",
    train=_train,
    source="PyTorch forum, thread 28628: the gradient of torch.round",
    truth=Truth(
        rules=("zero-gradient",),
        nodes=("model.encoder", "model.encoder.0", "model.encoder.2", "model.encoder.1: output"),
    ),
)
