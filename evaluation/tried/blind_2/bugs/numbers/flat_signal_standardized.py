"""Each signal is divided by its own standard deviation, and a broken sensor sends a constant: 0 / 0."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting, Truth

BATCH, BROKEN = 25, 1590


def standardize(signal: Tensor, epsilon: float) -> Tensor:
    return (signal - signal.mean(dim=1, keepdim=True)) / (signal.std(dim=1, keepdim=True) + epsilon)


class Detector(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv1d(1, 12, 7)
        self.out = nn.Linear(12, 2)

    def forward(self, signal: Tensor) -> Tensor:
        return self.out(torch.relu(self.conv(signal.unsqueeze(1))).amax(dim=2))


def _train(setting: Setting) -> None:
    # Does a heart beat have a second peak?
    time = torch.arange(40)
    has_peak = torch.rand(3000) < 0.5
    beats = torch.exp(-(((time - 10) / 3) ** 2)) + has_peak[:, None] * 0.8 * torch.exp(-(((time - 25) / 2.0) ** 2))
    beats = beats * (1 + torch.rand(3000, 1)) + 0.1 * torch.randn(3000, 40)
    beats[BROKEN] = 2.0
    loader = DataLoader(TensorDataset(beats, has_peak.long()), batch_size=BATCH)
    model = Detector()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    epsilon = 1e-5 if setting.is_fixed else 0.0
    with setting.watch(model):
        for signal, label in loader:
            loss = nn.functional.cross_entropy(model(standardize(signal, epsilon)), label)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="flat-signal-standardized",
    train=_train,
    source="DeepLocalize (numerical errors), normalization without epsilon",
    truth=Truth(
        rules=("nan-origin",),
        nodes=("model: input", "model.conv: input", "model.conv: output", "model: input signal", "model.conv"),
        step=BROKEN // BATCH,
    ),
)
