"""A network learns to predict the noise in points of a spiral, for fifty levels of noise."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class _Noise(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.level = nn.Embedding(50, 16)
        self.body = nn.Sequential(nn.Linear(18, 96), nn.SiLU(), nn.Linear(96, 96), nn.SiLU(), nn.Linear(96, 2))

    def forward(self, point: Tensor, level: Tensor) -> Tensor:
        return self.body(torch.cat([point, self.level(level)], dim=1))


def _train(setting: Setting) -> None:
    angle = 9 * torch.rand(4000).sqrt()
    spiral = torch.stack([angle * angle.cos(), angle * angle.sin()], dim=1) / 4.5
    kept = torch.cumprod(1 - torch.linspace(1e-3, 0.2, 50), 0)[:, None]
    model = _Noise()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    total = 0.0
    with setting.watch(model):
        for step in range(400):
            points, level, noise = spiral[torch.randint(0, 4000, (128,))], torch.randint(0, 50, (128,)), torch.randn(128, 2)
            loss = nn.functional.mse_loss(model(kept[level].sqrt() * points + (1 - kept[level]).sqrt() * noise, level), noise)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
            if step % 80 == 79:
                print(step, total / 80)
                total = 0.0


PROGRAM = Program(name="spiral-by-diffusion", train=_train, source="Ho et al. 2020: denoising diffusion")
