"""A denoiser ends in tanh, since pictures lie between -1 and 1. But it predicts noise, and a third of that lies beyond."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class Denoiser(nn.Module):
    def __init__(self, squash: bool) -> None:
        super().__init__()
        self.inside = nn.Conv1d(1, 24, 5, padding=2)
        self.time = nn.Linear(8, 24)
        self.middle = nn.Conv1d(24, 24, 5, padding=2)
        self.outside = nn.Conv1d(24, 1, 5, padding=2)
        self.squash = squash

    def forward(self, signal: Tensor, time: Tensor) -> Tensor:
        waves = time[:, None] * math.pi * torch.arange(1, 5)
        embedded = self.time(torch.cat([waves.sin(), waves.cos()], dim=1))
        x = nn.functional.silu(self.inside(signal) + embedded[:, :, None])
        x = x + nn.functional.silu(self.middle(x))
        x = self.outside(x)
        return torch.tanh(x) if self.squash else x


def _train(setting: Setting) -> None:
    phase, pitch = 6.28 * torch.rand(1500, 1), 0.3 + 0.3 * torch.rand(1500, 1)
    signals = torch.sin(phase + pitch * torch.arange(32))[:, None]
    model = Denoiser(squash=not setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for step in range(150):
            clean = signals[torch.randint(1500, (32,))]
            time, noise = torch.rand(32), torch.randn_like(clean)
            kept = torch.cos(time * math.pi / 2)[:, None, None]
            noisy = kept * clean + (1 - kept**2).sqrt() * noise
            loss = nn.functional.mse_loss(model(noisy, time), noise)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 30 == 29:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(
    name="noise-through-a-tanh",
    train=_train,
    source="Common mistake: a network for pictures that predicts noise, with its last activation",
    truth=Truth(
        rules=("target-out-of-range",),
        nodes=("model", "model: output", "model.outside: output", "mse_loss: target", "mse_loss", "tanh"),
    ),
)
