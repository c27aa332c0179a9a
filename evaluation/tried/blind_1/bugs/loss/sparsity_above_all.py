"""The L1 penalty of a sparse autoencoder has a weight of 3 instead of 0.003: after some steps no unit is ever active."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class SparseAutoencoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Linear(32, 96)
        self.activation = nn.ReLU()
        self.decoder = nn.Linear(96, 32)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        codes = self.activation(self.encoder(x))
        return self.decoder(codes), codes


def _train(setting: Setting) -> None:
    features = torch.randn(64, 32)
    active = (torch.rand(4000, 64) < 0.05).float() * torch.rand(4000, 64)
    activations = active @ features
    model = SparseAutoencoder()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    weight = 0.003 if setting.is_fixed else 3.0
    with setting.watch(model):
        for (x,) in batches(700, 64, activations):
            output, codes = model(x)
            loss = nn.functional.mse_loss(output, x) + weight * codes.sum(dim=1).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="sparsity-above-all",
    train=_train,
    source="Bricken et al. 2023 and issues of sparse autoencoders: dead features through a large L1 coefficient",
    # The first units die after some 80 steps, whatever the seed.
    truth=Truth(
        rules=("dead-relu", "dormant-units", "same-for-all-samples"),
        nodes=("model.activation: output", "model.activation", "model.encoder: output"),
        step=80,
    ),
)
