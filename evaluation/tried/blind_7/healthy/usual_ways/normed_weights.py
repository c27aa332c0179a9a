"""Convolutions with weight normalization, as in WaveNet-like vocoders."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.utils.parametrizations import weight_norm

from evaluation.program import Program, Setting


class Gated(nn.Module):
    def __init__(self, channels: int, dilation: int) -> None:
        super().__init__()
        self.conv = weight_norm(nn.Conv1d(channels, 2 * channels, 3, dilation=dilation, padding=dilation))
        self.back = weight_norm(nn.Conv1d(channels, channels, 1))

    def forward(self, x: Tensor) -> Tensor:
        value, gate = self.conv(x).chunk(2, dim=1)
        return x + self.back(torch.tanh(value) * torch.sigmoid(gate))


def _train(setting: Setting) -> None:
    time = torch.arange(64) / 8
    net = nn.Sequential(nn.Conv1d(1, 12, 1), Gated(12, 1), Gated(12, 2), Gated(12, 4), nn.Conv1d(12, 1, 1))
    optimizer = torch.optim.Adam(net.parameters(), lr=4e-3)
    with setting.watch(net):
        for _ in range(130):
            # Remove noise from sums of two tones.
            tones = torch.sin(time * (1 + 3 * torch.rand(16, 1)) + 6.28 * torch.rand(16, 1)) + 0.5 * torch.sin(time * 7)
            noisy = tones + 0.5 * torch.randn(16, 64)
            loss = nn.functional.l1_loss(net(noisy[:, None]).squeeze(1), tones)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="normed-weights", train=_train, source="Salimans and Kingma 2016")
