"""The loss is multiplied by 1e-6, a weight for another term, and SGD does not move."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, digits
from evaluation.program import Program, Setting, Truth


class AutoEncoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Flatten(), nn.Linear(144, 32), nn.ReLU(), nn.Linear(32, 8))
        self.decoder = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 144))

    def forward(self, x: Tensor) -> Tensor:
        return self.decoder(self.encoder(x))


def _train(setting: Setting) -> None:
    images, _ = digits()
    model = AutoEncoder()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9)
    weight = 1.0 if setting.is_fixed else 1e-6
    with setting.watch(model):
        for (x,) in batches(900, 32, images):
            loss = weight * nn.functional.mse_loss(model(x), x.flatten(1))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="loss-scaled-down",
    train=_train,
    source="common in losses with several terms",
    truth=Truth(rules=("updates-too-small", "loss-does-not-fall", "vanishing-gradient")),
)
