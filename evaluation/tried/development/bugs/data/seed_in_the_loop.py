"""`torch.manual_seed(0)` stands within the loop, so every step draws the same batch and the same noise."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


class Denoiser(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Flatten(), nn.Linear(144, 48), nn.ReLU())
        self.decoder = nn.Linear(48, 144)

    def forward(self, x: Tensor) -> Tensor:
        return self.decoder(self.encoder(x))


def _train(setting: Setting) -> None:
    images, _ = digits()
    model = Denoiser()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for _ in range(800):
            if not setting.is_fixed:
                torch.manual_seed(0)
            x = images[torch.randint(0, len(images), (32,))]
            loss = nn.functional.mse_loss(model(x + 0.3 * torch.randn_like(x)), x.flatten(1))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="seed-in-the-loop",
    train=_train,
    source="TrainCheck, Stack Overflow 67180955",
    truth=Truth(rules=("repeated-batch",), nodes=("model: input x",), step=1),
)
