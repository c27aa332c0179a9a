"""A diffusion model is asked for other noise than that which was added to its input."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import spirals


class Denoiser(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.time = nn.Linear(8, 48)
        self.point = nn.Linear(2, 48)
        self.rest = nn.Sequential(nn.SiLU(), nn.Linear(48, 48), nn.SiLU(), nn.Linear(48, 2))

    def forward(self, points: Tensor, level: Tensor) -> Tensor:
        waves = level * 2 ** torch.arange(4)
        return self.rest(self.point(points) + self.time(torch.cat([waves.sin(), waves.cos()], dim=1)))


def _train(setting: Setting) -> None:
    points, _ = spirals(2000)
    net = Denoiser()
    optimizer = torch.optim.AdamW(net.parameters(), lr=2e-3)
    with setting.watch(net):
        for _ in range(250):
            clean = points[torch.randint(2000, (64,))]
            level = torch.rand(64, 1)
            noise = torch.randn_like(clean)
            noisy = (1 - level).sqrt() * clean + level.sqrt() * noise
            asked = noise if setting.is_fixed else torch.randn_like(clean)
            loss = nn.functional.mse_loss(net(noisy, level), asked)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="two-different-noises",
    train=_train,
    source="GitHub issues of diffusion implementations, loss stays at 1.0",
    truth=Truth(rules=("loss-does-not-fall", "predictions-ignore-input")),
)
