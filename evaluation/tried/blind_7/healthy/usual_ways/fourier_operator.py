"""A Fourier neural operator with complex weights learns what diffusion makes of a curve."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting

POINTS, MODES = 32, 6


class Spectral(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(channels, channels, MODES, 2) / channels)
        self.local = nn.Conv1d(channels, channels, 1)

    def forward(self, x: Tensor) -> Tensor:
        modes = torch.fft.rfft(x)[..., :MODES]
        mixed = torch.einsum("bim,iom->bom", modes, torch.view_as_complex(self.weight))
        return torch.fft.irfft(mixed, n=POINTS) + self.local(x)


def _train(setting: Setting) -> None:
    net = nn.Sequential(nn.Conv1d(1, 12, 1), Spectral(12), nn.GELU(), Spectral(12), nn.GELU(), nn.Conv1d(12, 1, 1))
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    damping = torch.exp(-0.05 * torch.arange(POINTS // 2 + 1) ** 2)
    with setting.watch(net):
        for _ in range(180):
            spectrum = torch.fft.rfft(torch.randn(24, 1, POINTS)) / (1 + torch.arange(POINTS // 2 + 1))
            start = torch.fft.irfft(spectrum, n=POINTS) * 3
            end = torch.fft.irfft(torch.fft.rfft(start) * damping, n=POINTS)
            loss = nn.functional.mse_loss(net(start), end)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="fourier-operator", train=_train, source="Li et al. 2021")
