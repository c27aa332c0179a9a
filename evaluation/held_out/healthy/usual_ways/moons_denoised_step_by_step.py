"""Two moons come out of noise: a network predicts the noise that was added, for a random time."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class NoiseNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.time = nn.Sequential(nn.Linear(8, 64), nn.SiLU(), nn.Linear(64, 64))
        self.enter = nn.Linear(2, 64)
        self.middle = nn.Linear(64, 64)
        self.leave = nn.Linear(64, 2)

    def forward(self, points: Tensor, time: Tensor) -> Tensor:
        waves = time[:, None] * 2.0 ** torch.arange(4)
        h = self.enter(points) + self.time(torch.cat([waves.sin(), waves.cos()], dim=1))
        return self.leave(nn.functional.silu(self.middle(nn.functional.silu(h))))


def _moons(count: int) -> Tensor:
    angle = 3.1416 * torch.rand(count)
    lower = torch.rand(count) < 0.5
    x = torch.where(lower, 1 - angle.cos(), angle.cos()) - 0.5
    y = torch.where(lower, 0.4 - angle.sin(), angle.sin()) - 0.2
    return torch.stack([x, y], dim=1) * 1.3 + 0.05 * torch.randn(count, 2)


def _train(setting: Setting) -> None:
    points = _moons(4000)
    model = NoiseNet()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for step in range(200):
            rows = torch.randint(0, 4000, (256,))
            time, noise = torch.rand(256), torch.randn(256, 2)
            angle = 1.5708 * time[:, None]
            noisy = angle.cos() * points[rows] + angle.sin() * noise
            loss = nn.functional.mse_loss(model(noisy, time), noise)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            if step % 40 == 39:
                print(f"{step}: {loss.item():.4f}")


PROGRAM = Program(name="moons-denoised-step-by-step", train=_train, source="Ho et al. 2020, denoising diffusion")
