"""Images are normalized to -1 to 1, but the decoder of the autoencoder ends with a sigmoid."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, digits
from evaluation.program import Program, Setting, Truth


class AutoEncoder(nn.Module):
    def __init__(self, last: nn.Module) -> None:
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(1, 8, 3, stride=2, padding=1),
            nn.ELU(),
            nn.Conv2d(8, 16, 3, stride=2, padding=1),
            nn.ELU(),
            nn.Flatten(),
            nn.Linear(144, 24),
        )
        self.expand = nn.Linear(24, 144)
        self.decoder = nn.Sequential(
            nn.ELU(),
            nn.ConvTranspose2d(16, 8, 4, stride=2, padding=1),
            nn.ELU(),
            nn.ConvTranspose2d(8, 1, 4, stride=2, padding=1),
            last,
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.decoder(self.expand(self.encoder(x)).view(-1, 16, 3, 3))


def _train(setting: Setting) -> None:
    images, _ = digits(1000)
    images = (images - 0.5) / 0.5
    model = AutoEncoder(nn.Tanh() if setting.is_fixed else nn.Sigmoid())
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    criterion = nn.MSELoss()
    with setting.watch(model):
        for (x,) in batches(240, 32, images):
            optimizer.zero_grad()
            loss = criterion(model(x), x)
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="decoder-ends-in-sigmoid",
    train=_train,
    source="PyTorch forum, Normalize((0.5,), (0.5,)) and a sigmoid decoder",
    truth=Truth(
        rules=("target-out-of-range",), nodes=("model.decoder.4: output", "model.decoder: output", "model: output", "model.decoder.4")
    ),
)
