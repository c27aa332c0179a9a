"""Maps of the weather are compressed by a variational autoencoder. The loop was written for manual optimization."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.everyday import outlines
from evaluation.program import Program, Setting, Truth


class WeatherVAE(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(256, 64), nn.SiLU())
        self.mean = nn.Linear(64, 8)
        self.logvar = nn.Linear(64, 8)
        self.decoder = nn.Sequential(nn.Linear(8, 64), nn.SiLU(), nn.Linear(64, 256))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        h = self.encoder(x)
        mean, logvar = self.mean(h), self.logvar(h)
        return self.decoder(mean + torch.randn_like(mean) * (0.5 * logvar).exp()), mean, logvar


def _train(setting: Setting) -> None:
    maps, _ = outlines(800)
    x = maps.flatten(1) - 0.4
    model = WeatherVAE()
    opt = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for epoch in range(5):
            for rows in torch.randperm(800).split(25):
                rebuilt, mean, logvar = model(x[rows])
                kl = 0.5 * (mean**2 + logvar.exp() - 1 - logvar).mean()
                loss = nn.functional.mse_loss(rebuilt, x[rows]) + 1e-3 * kl
                if setting.is_fixed:
                    opt.zero_grad()
                    loss.backward()
                else:
                    loss.backward()
                    opt.zero_grad()
                opt.step()
            print(f"epoch {epoch}: {loss.item():.5f}")


PROGRAM = Program(
    name="weather-by-a-vae",
    train=_train,
    source="https://github.com/gaozhihan/PreDiff/pull/33",
    truth=Truth(rules=("gradients-cleared-early", "never-updated", "no-gradient", "loss-does-not-fall", "optimizer-never-steps")),
)
