"""A diffusion model of points on three arms. In one of ten samples it is not told the arm, so that it can be guided later."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.worlds import spirals


class Denoiser(nn.Module):
    def __init__(self, arms: int) -> None:
        super().__init__()
        self.arm = nn.Embedding(arms + 1, 32)
        self.time = nn.Sequential(nn.Linear(16, 32), nn.SiLU())
        self.inside = nn.Linear(2, 32)
        self.body = nn.Sequential(nn.SiLU(), nn.Linear(32, 96), nn.SiLU(), nn.Linear(96, 96), nn.SiLU())
        self.noise = nn.Linear(96, 2)

    def forward(self, x: Tensor, t: Tensor, arm: Tensor) -> Tensor:
        waves = t[:, None] * 2.0 ** torch.arange(8)
        time = self.time(torch.cat([waves.sin(), waves.cos()], dim=1))
        return self.noise(self.body(self.inside(x) + time + self.arm(arm)))


def _train(setting: Setting) -> None:
    points, arms = spirals(3000)
    model = Denoiser(3)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for step in range(200):
            rows = torch.randint(3000, (128,))
            t, noise = torch.rand(128), torch.randn(128, 2)
            arm = torch.where(torch.rand(128) < 0.1, 3, arms[rows])
            angle = t[:, None] * math.pi / 2
            noisy = angle.cos() * points[rows] + angle.sin() * noise
            loss = nn.functional.mse_loss(model(noisy, t, arm), noise)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 40 == 39:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(name="drawn-with-and-without-a-label", train=_train, source="Ho and Salimans 2022, classifier-free guidance")
