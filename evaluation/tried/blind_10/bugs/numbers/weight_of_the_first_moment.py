"""A diffusion model learns from noisy to clean. Its loss is divided by the share of noise, which is 0 at the last moment: in step 60."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth

TIMES = 80


class Denoiser(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.time = nn.Embedding(TIMES, 64)
        self.into = nn.Linear(48, 64)
        self.middle = nn.Sequential(nn.SiLU(), nn.Linear(64, 64), nn.SiLU())
        self.out = nn.Linear(64, 48)

    def forward(self, x: Tensor, t: Tensor) -> Tensor:
        return self.out(self.middle(self.into(x) + self.time(t)))


def _train(setting: Setting) -> None:
    waves = torch.sin(6.28 * torch.rand(2000, 1) + (0.1 + 0.2 * torch.rand(2000, 1)) * torch.arange(48))
    # All of the signal is kept at time 0, and almost nothing at the end.
    kept = torch.linspace(1, 0.01, TIMES)
    model = Denoiser()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    least = 0.1 if setting.is_fixed else 0.0
    with setting.watch(model):
        for step in range(120):
            first = max(0, 60 - step)
            t = torch.linspace(first, TIMES - 1, 40).long()
            clean = waves[torch.randint(2000, (40,))]
            noise = torch.randn_like(clean)
            noisy = kept[t, None].sqrt() * clean + (1 - kept[t, None]).sqrt() * noise
            error = (model(noisy, t) - clean).square().mean(dim=1)
            weight = 1 / (1 - kept[t]).clamp(min=least)
            loss = (weight * error).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 20 == 19:
                print(f"{step}: {loss.item():.4f}")


PROGRAM = Program(
    name="weight-of-the-first-moment",
    train=_train,
    source="GitHub issues on weights by the signal-to-noise ratio, which is infinite at time 0",
    truth=Truth(rules=("nan-origin",), nodes=("mul", "mul (2)", "mean", "mean (2)"), step=60),
)
