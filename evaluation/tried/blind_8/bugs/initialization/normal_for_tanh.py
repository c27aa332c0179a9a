"""Weights for two hundred inputs are drawn by `torch.randn` with no scale: the tanh units are at their ends from the start."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Probe(nn.Module):
    def __init__(self, gain: float) -> None:
        super().__init__()
        self.first, self.second, self.out = nn.Linear(200, 64), nn.Linear(64, 64), nn.Linear(64, 1)
        for layer in (self.first, self.second):
            nn.init.normal_(layer.weight, std=gain / layer.in_features**0.5)

    def forward(self, spectrum: torch.Tensor) -> torch.Tensor:
        return self.out(torch.tanh(self.second(torch.tanh(self.first(spectrum)))))


def _train(setting: Setting) -> None:
    loading = torch.randn(3, 200)
    amounts = torch.randn(1500, 3)
    spectra = amounts @ loading / 3**0.5 + 0.3 * torch.randn(1500, 200)
    wanted = (amounts[:, :1] * 1.5).sin() + amounts[:, 1:2] * 0.5
    net = Probe(1.0 if setting.is_fixed else 14.0)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.9)
    with setting.watch(net):
        for step, (x, y) in enumerate(batches(260, 40, spectra[:1300], wanted[:1300])):
            loss = nn.functional.mse_loss(net(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 65 == 64:
                with torch.no_grad():
                    print(f"step {step}: test {nn.functional.mse_loss(net(spectra[1300:]), wanted[1300:]):.3f}")


PROGRAM = Program(
    name="normal-for-tanh",
    train=_train,
    source="Glorot and Bengio 2010; Humbatova et al. 2020, wrong weights initialisation",
    truth=Truth(
        rules=("saturated-units",),
        nodes=(
            *(f"model.{name}{what}" for name in ("first", "second") for what in ("", ".weight", ": output")),
            "model.second: input",
            "model.out: input",
        ),
    ),
)
