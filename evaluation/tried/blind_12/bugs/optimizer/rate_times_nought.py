"""The schedule that should keep the rate multiplies it with 0 after some epochs."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import curves
from evaluation.program import Program, Setting, Truth


class Vame(nn.Module):
    def __init__(self, latent: int = 8) -> None:
        super().__init__()
        self.encoder = nn.GRU(1, 24, batch_first=True)
        self.latent = nn.Linear(24, latent)
        self.decoder = nn.GRU(latent, 24, batch_first=True)
        self.out = nn.Linear(24, 1)

    def forward(self, x: Tensor) -> Tensor:
        _, h = self.encoder(x)
        z = self.latent(h[-1])[:, None].expand(-1, x.shape[1], -1)
        return self.out(self.decoder(z)[0])


def _train(setting: Setting) -> None:
    x, _ = curves(640, length=14)
    model = Vame()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=5, gamma=1.0 if setting.is_fixed else 0.0)
    with setting.watch(model):
        for epoch in range(14):
            for rows in torch.randperm(640).split(64):
                loss = nn.functional.mse_loss(model(x[rows]), x[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            scheduler.step()
            print(f"epoch {epoch}: {loss.item():.4f}, rate {scheduler.get_last_lr()[0]}")


PROGRAM = Program(
    name="rate-times-nought",
    train=_train,
    source="https://github.com/LINCellularNeuroscience/VAME/issues/26",
    truth=Truth(rules=("updates-too-small", "never-updated"), step=50),
)
