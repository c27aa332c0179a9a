"""Earthquakes are detected in traces of stations. Each trace is divided by its peak, when its batch is made."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class Normalize:
    def __init__(self, additive: float) -> None:
        self.additive = additive

    def __call__(self, traces: Tensor) -> Tensor:
        centered = traces - traces.mean(dim=2, keepdim=True)
        return centered / (centered.abs().amax(dim=2, keepdim=True) + self.additive)


def _traces(count: int, silent: int) -> tuple[Tensor, Tensor]:
    shakes = torch.randint(0, 2, (count,))
    time = torch.arange(48.0)
    onset = 10 + 20 * torch.rand(count, 1)
    wave = torch.exp(-(time - onset).clamp(min=0) / 6) * (time > onset) * torch.sin(1.4 * time)
    traces = (20 + 400 * torch.rand(count, 1)) * (0.3 * torch.randn(count, 48) + 1.5 * shakes[:, None] * wave)
    traces[::silent] = 0
    shakes[::silent] = 0
    return traces[:, None], shakes


def _train(setting: Setting) -> None:
    traces, shakes = _traces(1000, silent=25)
    normalize = Normalize(1e-6 if setting.is_fixed else 0.0)
    model = nn.Sequential(
        nn.Conv1d(1, 16, 7, padding=3), nn.ReLU(), nn.MaxPool1d(4), nn.Conv1d(16, 16, 5), nn.ReLU(), nn.Flatten(), nn.Linear(128, 2)
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for epoch in range(5):
            order = torch.arange(1000) if epoch == 0 else torch.randperm(1000)
            for rows in order.split(50):
                output = model(normalize(traces[rows]))
                loss = nn.functional.cross_entropy(output, shakes[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="earthquakes-in-their-traces",
    train=_train,
    source="https://github.com/crimeacs/seismic-augmentation/pull/5",
    truth=Truth(rules=("nan-origin",), nodes=("div", "model: input", "model.0: input"), step=0),
)
