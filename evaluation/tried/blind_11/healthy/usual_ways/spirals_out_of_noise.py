"""A diffusion model of points on spirals: a network with embedded times predicts the noise."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.worlds import spirals


class Denoiser(nn.Module):
    def __init__(self, steps: int, width: int = 96) -> None:
        super().__init__()
        self.time = nn.Embedding(steps, width)
        self.point = nn.Linear(2, width)
        self.body = nn.Sequential(nn.SiLU(), nn.Linear(width, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU())
        self.noise = nn.Linear(width, 2)

    def forward(self, x: Tensor, t: Tensor) -> Tensor:
        return self.noise(self.body(self.point(x) + self.time(t)))


def _train(setting: Setting) -> None:
    points, _ = spirals(3000, arms=2)
    steps = 50
    alpha_bar = torch.cumprod(1 - torch.linspace(1e-3, 0.15, steps), dim=0)
    model = Denoiser(steps)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        running = 0.0
        for iteration in range(300):
            x0 = points[torch.randint(3000, (128,))]
            t = torch.randint(steps, (128,))
            noise = torch.randn_like(x0)
            keep = alpha_bar[t].unsqueeze(1)
            noisy = keep.sqrt() * x0 + (1 - keep).sqrt() * noise
            loss = nn.functional.mse_loss(model(noisy, t), noise)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            running += loss.item() / 50
            if iteration % 50 == 49:
                print(f"{iteration + 1}: {running:.4f}")
                running = 0.0


PROGRAM = Program(name="spirals-out-of-noise", train=_train, source="Ho et al. 2020, denoising diffusion")
