"""An autoencoder of spectra squeezes everything through one number: the author typed 1 and meant 12."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    peaks = torch.rand(1500, 4, 1) * 40
    grid = torch.arange(40.0)
    spectra = torch.exp(-0.5 * ((grid - peaks) / 2.5).square()).sum(dim=1)
    spectra = (spectra - spectra.mean()) / spectra.std()
    code = 12 if setting.is_fixed else 1
    model = nn.Sequential(nn.Linear(40, 64), nn.ReLU(), nn.Linear(64, code), nn.Tanh(), nn.Linear(code, 64), nn.ReLU(), nn.Linear(64, 40))
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for (x,) in batches(300, 64, spectra):
            loss = F.mse_loss(model(x), x)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"explained {1 - F.mse_loss(model(spectra), spectra):.2f}")


PROGRAM = Program(
    name="code-of-a-single-number",
    train=_train,
    source="Humbatova et al. 2020, wrong number of neurons in a layer",
    truth=Truth(rules=("one-unit-bottleneck",), nodes=("model.2", "model.3", "model.4", "model.2.weight", "model.4.weight")),
)
