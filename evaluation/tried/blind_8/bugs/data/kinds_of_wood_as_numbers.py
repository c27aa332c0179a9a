"""Which of five kinds a piece of wood is gets fitted by squared errors, as if kind 4 were twice kind 2."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth


class WoodNet(nn.Module):
    def __init__(self, outputs: int) -> None:
        super().__init__()
        self.lower = nn.Linear(16, 48)
        self.norm = nn.LayerNorm(48)
        self.upper = nn.Linear(48, outputs)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.upper(torch.relu(self.norm(self.lower(x))))


def _train(setting: Setting) -> None:
    spectra, kinds = class_blobs(2000, 16)
    is_classifier = setting.is_fixed
    net = WoodNet(5 if is_classifier else 1)
    optimizer = torch.optim.Adam(net.parameters(), lr=5e-3)
    with setting.watch(net):
        for x, y in batches(240, 40, spectra[:1600], kinds[:1600]):
            given = net(x)
            loss = nn.functional.cross_entropy(given, y) if is_classifier else nn.functional.mse_loss(given, y[:, None].float())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    with torch.no_grad():
        given = net(spectra[1600:])
        guessed = given.argmax(dim=1) if is_classifier else given.squeeze(1).round()
        print(f"test {(guessed == kinds[1600:]).float().mean():.3f}")


PROGRAM = Program(
    name="kinds-of-wood-as-numbers",
    train=_train,
    source="Humbatova et al. 2020, loss: wrong type of task; Stack Overflow, MSE for classification",
    truth=Truth(rules=("class-numbers-as-target",), nodes=("mse_loss: target", "mse_loss", "model.upper: output")),
)
