"""A diffusion model of points on a spiral: predicts the noise that was added."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class _Denoiser(nn.Module):
    def __init__(self, width: int = 96) -> None:
        super().__init__()
        self.time = nn.Sequential(nn.Linear(16, width), nn.SiLU(), nn.Linear(width, width))
        self.inner = nn.Linear(2, width)
        self.blocks = nn.ModuleList(nn.Sequential(nn.LayerNorm(width), nn.Linear(width, width), nn.SiLU()) for _ in range(3))
        self.out = nn.Linear(width, 2)

    def forward(self, x: Tensor, t: Tensor) -> Tensor:
        angle = t[:, None] * torch.exp(torch.linspace(0, -6, 8))
        time = self.time(torch.cat([angle.sin(), angle.cos()], dim=1))
        h = self.inner(x)
        for block in self.blocks:
            h = h + block(h + time)
        return self.out(h)


def _train(setting: Setting) -> None:
    angle = 1.5 * torch.pi * (1 + 2 * torch.rand(4000))
    data = torch.stack([angle * angle.cos(), angle * angle.sin()], dim=1) / 8 + 0.02 * torch.randn(4000, 2)
    timesteps = 100
    kept = torch.cumprod(1 - torch.linspace(1e-4, 0.05, timesteps), dim=0)
    model = _Denoiser()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for _ in range(1000):
            x = data[torch.randint(4000, (128,))]
            t = torch.randint(timesteps, (128,))
            noise = torch.randn_like(x)
            share = kept[t][:, None]
            noisy = share.sqrt() * x + (1 - share).sqrt() * noise
            loss = nn.functional.mse_loss(model(noisy, t.float()), noise)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()


PROGRAM = Program(name="diffusion", train=_train, source="Ho et al. 2020, on a spiral")
