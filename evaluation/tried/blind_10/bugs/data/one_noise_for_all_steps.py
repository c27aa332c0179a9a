"""The noise of a diffusion model is drawn when the process is set up, and then added to every point in every step."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import spirals


class Process:
    """Adds noise to points, as much as the time says."""

    def __init__(self, steps: int, size: int) -> None:
        self.kept = torch.cos(torch.linspace(0.02, 1.55, steps)) ** 2
        self.noise = torch.randn(size)

    def noisy(self, points: Tensor, time: Tensor, noise: Tensor) -> Tensor:
        kept = self.kept[time, None]
        return kept.sqrt() * points + (1 - kept).sqrt() * noise


class Denoiser(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.time = nn.Embedding(50, 16)
        self.hidden1 = nn.Linear(18, 64)
        self.hidden2 = nn.Linear(64, 64)
        self.out = nn.Linear(64, 2)

    def forward(self, points: Tensor, time: Tensor) -> Tensor:
        h = torch.cat([points, self.time(time)], dim=1)
        h = nn.functional.silu(self.hidden1(h))
        h = h + nn.functional.silu(self.hidden2(h))
        return self.out(h)


def _train(setting: Setting) -> None:
    points, _ = spirals(2000)
    process = Process(50, points.shape[1])
    denoiser = Denoiser()
    optimizer = torch.optim.AdamW(denoiser.parameters(), lr=3e-3)
    with setting.watch(denoiser):
        for step in range(200):
            clean = points[torch.randint(2000, (128,))]
            time = torch.randint(50, (128,))
            noise = torch.randn_like(clean) if setting.is_fixed else process.noise.expand_as(clean)
            loss = nn.functional.mse_loss(denoiser(process.noisy(clean, time, noise), time), noise)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 50 == 49:
                print(f"{step}: {loss.item():.4f}")


PROGRAM = Program(
    name="one-noise-for-all-steps",
    train=_train,
    source="Common mistake; GitHub issues on times and noise of diffusion models that are not drawn for each sample",
    truth=Truth(
        rules=("same-for-all-samples", "constant-target", "predictions-ignore-input"),
        nodes=("model", "model: output", "model.out", "model.out: output", "mse_loss: target"),
    ),
)
