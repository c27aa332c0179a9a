"""A pretrained network gets a new head after the optimizer was made, so the head stays as it was drawn."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting, Truth


class WaveNet(nn.Module):
    def __init__(self, classes: int) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv1d(1, 12, 5, stride=2), nn.ReLU(), nn.Conv1d(12, 24, 5, stride=2), nn.ReLU(), nn.AdaptiveAvgPool1d(4), nn.Flatten()
        )
        self.classifier = nn.Linear(96, classes)

    def forward(self, wave: Tensor) -> Tensor:
        return self.classifier(self.features(wave))


def make_waves(count: int, classes: int, lowest: float) -> TensorDataset:
    labels = torch.randint(classes, (count,))
    frequency = lowest + 0.15 * labels[:, None]
    time = torch.arange(48)
    waves = torch.sin(frequency * time + 6.3 * torch.rand(count, 1)) + 0.3 * torch.randn(count, 48)
    return TensorDataset(waves.unsqueeze(1), labels)


def fit(model: nn.Module, optimizer: torch.optim.Optimizer, data: TensorDataset, epochs: int) -> None:
    criterion = nn.CrossEntropyLoss()
    for _ in range(epochs):
        for waves, labels in DataLoader(data, batch_size=40, shuffle=True):
            optimizer.zero_grad()
            criterion(model(waves), labels).backward()
            optimizer.step()


def _train(setting: Setting) -> None:
    model = WaveNet(classes=3)
    fit(model, torch.optim.Adam(model.parameters(), lr=3e-3), make_waves(600, 3, 0.2), epochs=3)

    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    model.classifier = nn.Linear(96, 6)
    if setting.is_fixed:
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        fit(model, optimizer, make_waves(1200, 6, 0.3), epochs=7)


PROGRAM = Program(
    name="new-head-after-optimizer",
    train=_train,
    source="PyTorch forum, fine-tuning: the head is replaced after the optimizer was made",
    truth=Truth(rules=("not-in-optimizer", "never-updated"), nodes=("model.classifier",)),
)
