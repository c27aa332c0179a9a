"""A diffusion model of small pictures: a network with an embedded time predicts the noise."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.datasets import batches
from evaluation.program import Program, Setting


class Denoiser(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.time = nn.Embedding(50, 64)
        self.enter = nn.Linear(36, 64)
        self.middle = nn.Sequential(nn.SiLU(), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, 64))
        self.leave = nn.Linear(64, 36)

    def forward(self, noisy: Tensor, time: Tensor) -> Tensor:
        h = self.enter(noisy) + self.time(time)
        return self.leave(h + self.middle(h))


def _train(setting: Setting) -> None:
    stripes = torch.sin(torch.arange(36.0) / 36 * 12 + 6.28 * torch.rand(3000, 1)) * 1.4
    kept = torch.cos(torch.linspace(0.05, 0.95, 50) * math.pi / 2)[:, None]
    model = Denoiser()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for (x,) in batches(280, 96, stripes):
            time = torch.randint(50, (len(x),))
            noise = torch.randn_like(x)
            noisy = kept[time] * x + (1 - kept[time].square()).sqrt() * noise
            loss = F.mse_loss(model(noisy, time), noise)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"loss {loss.item():.3f}")


PROGRAM = Program(name="noise-removed-step-by-step", train=_train, source="Ho et al. 2020")
