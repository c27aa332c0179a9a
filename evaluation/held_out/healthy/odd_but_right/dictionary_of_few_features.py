"""Activations are explained by a wide dictionary, of which only a few features are used for each sample."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class Dictionary(nn.Module):
    def __init__(self, width: int, features: int) -> None:
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(width))
        self.encoder = nn.Linear(width, features)
        self.relu = nn.ReLU()
        self.decoder = nn.Linear(features, width, bias=False)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        code = self.relu(self.encoder(x - self.bias))
        return self.decoder(code) + self.bias, code


def _train(setting: Setting) -> None:
    atoms = nn.functional.normalize(torch.randn(60, 24), dim=1)
    used = (torch.rand(4000, 60) < 0.06) * torch.rand(4000, 60) * 2
    x = used @ atoms
    model = Dictionary(24, 96)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for epoch in range(4):
            for rows in torch.randperm(4000).split(80):
                rebuilt, code = model(x[rows])
                loss = nn.functional.mse_loss(rebuilt, x[rows]) + 4e-3 * code.abs().sum(dim=1).mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.5f}, share of features {(code > 0).float().mean().item():.3f}")


PROGRAM = Program(name="dictionary-of-few-features", train=_train, source="Bricken et al. 2023, dictionary learning")
