"""Encoder and decoder have optimizers of their own. Both make steps, and only that of the decoder clears its gradients."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, digits
from evaluation.program import Program, Setting, Truth


class AutoEncoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Flatten(), nn.Linear(144, 64), nn.ReLU(), nn.Linear(64, 12))
        self.decoder = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 144), nn.Sigmoid(), nn.Unflatten(1, (1, 12, 12)))

    def forward(self, image: Tensor) -> Tensor:
        return self.decoder(self.encoder(image))


def _train(setting: Setting) -> None:
    images, _ = digits(1000)
    auto = AutoEncoder()
    encoder_optimizer = torch.optim.Adam(auto.encoder.parameters(), lr=2e-3)
    decoder_optimizer = torch.optim.Adam(auto.decoder.parameters(), lr=2e-3)
    cleared = (encoder_optimizer, decoder_optimizer) if setting.is_fixed else (decoder_optimizer,)
    with setting.watch(auto):
        for (some,) in batches(250, 32, images):
            for optimizer in cleared:
                optimizer.zero_grad()
            loss = nn.functional.mse_loss(auto(some), some)
            loss.backward()
            encoder_optimizer.step()
            decoder_optimizer.step()


PROGRAM = Program(
    name="decoder-is-cleared-alone",
    train=_train,
    source="PyTorch forum, zero_grad with several optimizers; Islam et al. 2019",
    truth=Truth(
        rules=("gradients-left-over",),
        nodes=("model.encoder", *(f"model.encoder.{i}{part}" for i in (1, 3) for part in ("", ".weight", ".bias"))),
        step=1,
    ),
)
