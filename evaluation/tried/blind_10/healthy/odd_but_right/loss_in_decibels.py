"""Two voices are separated. The loss is minus the ratio of signal to noise in decibels, in the better of two orders."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class Separator(nn.Module):
    def __init__(self, width: int = 32) -> None:
        super().__init__()
        self.analysis = nn.Conv1d(1, width, 16, stride=8, bias=False)
        self.masks = nn.Sequential(
            nn.Conv1d(width, width, 3, padding=1),
            nn.PReLU(),
            nn.Conv1d(width, width, 3, padding=1),
            nn.PReLU(),
            nn.Conv1d(width, 2 * width, 1),
        )
        self.synthesis = nn.ConvTranspose1d(width, 1, 16, stride=8, bias=False)

    def forward(self, mixture: Tensor) -> Tensor:
        x = self.analysis(mixture)
        masked = x[:, None] * torch.sigmoid(self.masks(x)).unflatten(1, (2, -1))
        return self.synthesis(masked.flatten(0, 1)).view(len(mixture), 2, -1)


def ratio(estimate: Tensor, truth: Tensor) -> Tensor:
    """In decibels, for each voice `[B]`."""
    noise = (estimate - truth).square().mean(dim=-1)
    return 10 * torch.log10((truth.square().mean(dim=-1) + 1e-6) / (noise + 1e-6))


def voices(count: int) -> Tensor:
    time = torch.arange(128) / 128
    low, high = 4 + 4 * torch.rand(count, 1), 20 + 8 * torch.rand(count, 1)
    phase = 6.28 * torch.rand(2, count, 1)
    return torch.stack([torch.sin(6.28 * low * time + phase[0]), torch.sin(6.28 * high * time + phase[1])], dim=1)


def _train(setting: Setting) -> None:
    model = Separator()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for step in range(160):
            truth = voices(24)
            estimate = model(truth.sum(dim=1, keepdim=True))
            straight = ratio(estimate, truth).mean(dim=1)
            crossed = ratio(estimate.flip(1), truth).mean(dim=1)
            loss = -torch.maximum(straight, crossed).mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optimizer.step()
            if step % 40 == 39:
                print(f"{step}: {loss.item():.2f} dB")


PROGRAM = Program(name="loss-in-decibels", train=_train, source="Luo and Mesgarani 2019, Conv-TasNet, permutation-invariant training")
