"""The sensors are shuffled before the split, and their labels are not, so no label belongs to its sensor."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    state = torch.randint(0, 3, (1500,))
    rhythm = torch.tensor([1.0, 2.0, 4.0])[state][:, None] * torch.linspace(0, 6.28, 32)
    waves = (torch.sin(rhythm + 6.28 * torch.rand(1500, 1)) + 0.4 * torch.randn(1500, 32))[:, None]
    order = torch.randperm(1500)
    waves = waves[order]
    if setting.is_fixed:
        state = state[order]
    model = nn.Sequential(
        nn.Conv1d(1, 8, 5, padding=2), nn.BatchNorm1d(8), nn.ReLU(), nn.MaxPool1d(2),
        nn.Conv1d(8, 16, 5, padding=2), nn.BatchNorm1d(16), nn.ReLU(), nn.AdaptiveAvgPool1d(4),
        nn.Flatten(), nn.Linear(64, 3),
    )  # fmt: skip
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for _ in range(6):
            model.train()
            for index in torch.randperm(1200).split(24):
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(waves[index]), state[index])
                loss.backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                print("accuracy", (model(waves[1200:]).argmax(1) == state[1200:]).float().mean().item())


PROGRAM = Program(
    name="inputs-shuffled-without-labels",
    train=_train,
    source="Karpathy 2019, a recipe for training neural networks; Humbatova et al. 2020, training data: wrong labels",
    truth=Truth(rules=("loss-does-not-fall", "overfitting", "predictions-ignore-input")),
)
