"""Recordings of movements lie in the order of the activities, and the loader does not shuffle."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting, Truth

ACTIVITIES = ("sit", "walk", "run", "climb")


def recordings(of_each: int) -> tuple[Tensor, Tensor]:
    time = torch.arange(32) / 4
    signals, labels = [], []
    for label, _ in enumerate(ACTIVITIES):
        speed = 0.6 + 0.5 * label + 0.15 * torch.rand(of_each, 1, 1)
        phase = 6.28 * torch.rand(of_each, 3, 1)
        signals.append(torch.sin(speed * time + phase) + 0.3 * torch.randn(of_each, 3, 32))
        labels += [label] * of_each
    return torch.cat(signals), torch.tensor(labels)


def _train(setting: Setting) -> None:
    data = TensorDataset(*recordings(320))
    loader = DataLoader(data, batch_size=32, shuffle=setting.is_fixed)
    net = nn.Sequential(
        nn.Conv1d(3, 16, 5), nn.ReLU(), nn.MaxPool1d(2), nn.Conv1d(16, 16, 5), nn.ReLU(), nn.Flatten(), nn.Linear(160, len(ACTIVITIES))
    )
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    with setting.watch(net):
        for epoch in range(6):
            right = 0
            for signal, label in loader:
                scores = net(signal)
                loss = nn.functional.cross_entropy(scores, label)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                right += int((scores.argmax(dim=1) == label).sum())
            print(f"{epoch}: {right / len(data):.2f}")


PROGRAM = Program(
    name="one-activity-after-another",
    train=_train,
    source="Stack Overflow, data sorted by label and shuffle=False; Humbatova et al. 2020, training data",
    truth=Truth(
        rules=("batches-not-shuffled", "oscillating-loss"),
        nodes=("cross_entropy: target", "cross_entropy", "model: input", "model.0: input"),
    ),
)
