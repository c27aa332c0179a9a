"""A diffusion model of points on spirals learns which noise was added."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.worlds import spirals

STEPS = 50


class Denoiser(nn.Module):
    def __init__(self, width: int = 64) -> None:
        super().__init__()
        self.time = nn.Embedding(STEPS, width)
        self.point = nn.Linear(2, width)
        self.hidden = nn.ModuleList([nn.Linear(width, width) for _ in range(2)])
        self.out = nn.Linear(width, 2)

    def forward(self, noisy: Tensor, time: Tensor) -> Tensor:
        x = self.point(noisy) + self.time(time)
        for layer in self.hidden:
            x = x + layer(nn.functional.silu(x))
        return self.out(nn.functional.silu(x))


def _train(setting: Setting) -> None:
    points, _ = spirals(2000)
    kept = torch.cumprod(1 - torch.linspace(1e-3, 0.15, STEPS), dim=0)
    model = Denoiser()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for step in range(250):
            clean = points[torch.randint(2000, (128,))]
            time = torch.randint(STEPS, (128,))
            noise = torch.randn_like(clean)
            level = kept[time, None]
            noisy = level.sqrt() * clean + (1 - level).sqrt() * noise
            loss = nn.functional.mse_loss(model(noisy, time), noise)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 50 == 49:
                print(f"{step}: {loss.item():.4f}")


PROGRAM = Program(name="noise-is-told-from-points", train=_train, source="Ho et al. 2020, denoising diffusion")
