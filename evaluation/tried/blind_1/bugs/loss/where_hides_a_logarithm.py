"""`torch.where` replaces the logarithm of zero, but not its gradient, which is NaN."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Spectrum(nn.Module):
    def __init__(self, safe: bool) -> None:
        super().__init__()
        self.filters = nn.Conv1d(1, 8, 5, padding=2, bias=False)
        self.head = nn.Linear(8, 2)
        self.safe = safe

    def forward(self, signals: Tensor) -> Tensor:
        energy = self.filters(signals[:, None]).pow(2).mean(dim=2)
        if self.safe:
            return self.head(torch.log(energy.clamp(min=1e-6)))
        return self.head(torch.where(energy > 0, torch.log(energy), torch.zeros_like(energy)))


def _train(setting: Setting) -> None:
    labels = torch.randint(0, 2, (1600,))
    signals = torch.randn(1600, 24)
    # Speech has lower frequencies than noise.
    speech = signals[labels == 1].cumsum(dim=1)
    signals[labels == 1] = (speech - speech.mean(dim=1, keepdim=True)) / 2
    model = Spectrum(safe=setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for step, (x, y) in enumerate(batches(400, 32, signals, labels)):
            if step == 120:
                # A microphone was mute.
                x[0] = 0.0
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="where-hides-a-logarithm",
    train=_train,
    source="PyTorch issue 68425: torch.where gives NaN in the backward pass of a branch that is not taken",
    truth=Truth(
        rules=("nan-origin",),
        nodes=("model.filters: output", "model.filters", "model.filters.weight", "model.head: input"),
        step=120,
    ),
)
