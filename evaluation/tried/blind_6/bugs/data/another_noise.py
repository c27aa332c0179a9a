"""A diffusion model: the noise that the network has to predict is drawn once more, so it is not the noise in its input."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Denoiser(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 96), nn.SiLU(), nn.Linear(96, 96), nn.SiLU(), nn.Linear(96, 2))

    def forward(self, noisy: Tensor, time: Tensor) -> Tensor:
        return self.net(torch.cat([noisy, time], dim=1))


def _train(setting: Setting) -> None:
    angle = torch.rand(4000) * 2 * math.pi
    points = torch.stack([angle.cos(), angle.sin()], dim=1) * 1.3 + 0.05 * torch.randn(4000, 2)
    model = Denoiser()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for (x,) in batches(280, 128, points):
            time = torch.rand(len(x), 1)
            keep = torch.cos(time * math.pi / 2)
            noise = torch.randn_like(x)
            noisy = keep * x + (1 - keep.square()).sqrt() * noise
            target = noise if setting.is_fixed else torch.randn_like(x)
            loss = F.mse_loss(model(noisy, time), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"loss {loss.item():.3f}")


PROGRAM = Program(
    name="another-noise",
    train=_train,
    source="GitHub issues of diffusion code, randn_like called twice; Ho et al. 2020",
    truth=Truth(
        rules=("predictions-ignore-input", "loss-does-not-fall"),
        nodes=("mse_loss: target", "mse_loss", "model.net.4: output", "model.net", "model.net.4"),
    ),
)
