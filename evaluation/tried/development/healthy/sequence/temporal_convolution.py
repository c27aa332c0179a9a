"""Causal dilated convolutions with weight norm classify every moment of a signal."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.utils.parametrizations import weight_norm

from evaluation.program import Program, Setting


class _Block(nn.Module):
    def __init__(self, channels_in: int, channels: int, dilation: int) -> None:
        super().__init__()
        self.pad = nn.ConstantPad1d((2 * dilation, 0), 0.0)
        self.conv = weight_norm(nn.Conv1d(channels_in, channels, 3, dilation=dilation))
        self.drop = nn.Dropout(0.1)
        self.skip = nn.Conv1d(channels_in, channels, 1) if channels_in != channels else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        return self.skip(x) + self.drop(torch.relu(self.conv(self.pad(x))))


def _train(setting: Setting) -> None:
    model = nn.Sequential(_Block(1, 16, 1), _Block(16, 16, 2), _Block(16, 16, 4), nn.Conv1d(16, 2, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for _ in range(700):
            signal = torch.randn(16, 1, 32)
            is_rising = (signal[:, 0].unfold(1, 4, 1).mean(2) > 0).long()
            logits = model(signal)[:, :, 3:]
            loss = nn.functional.cross_entropy(logits, is_rising)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="temporal-convolution", train=_train, source="Bai et al. 2018; weight norm of Salimans and Kingma 2016")
