"""The number of the class is fitted by least squares with a single output, as if class 4 were twice class 2."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    centers = 2 * torch.randn(6, 8)
    species = torch.randint(0, 6, (1500,))
    flowers = centers[species] + torch.randn(1500, 8)
    loader = DataLoader(TensorDataset(flowers[:1200], species[:1200]), batch_size=32, shuffle=True)
    is_classifier = setting.is_fixed
    model = nn.Sequential(nn.Linear(8, 24), nn.ReLU(), nn.Linear(24, 6 if is_classifier else 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for _ in range(10):
            for x, y in loader:
                output = model(x)
                loss = nn.functional.cross_entropy(output, y) if is_classifier else nn.functional.mse_loss(output[:, 0], y.float())
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    with torch.no_grad():
        output = model(flowers[1200:])
        guess = output.argmax(1) if is_classifier else output[:, 0].round().long()
        print("accuracy", (guess == species[1200:]).float().mean().item())


PROGRAM = Program(
    name="class-numbers-as-quantities",
    train=_train,
    source="Humbatova et al. 2020, loss function: wrong selection of the loss function",
    truth=Truth(rules=("class-numbers-as-target", "loss-does-not-fall", "initial-loss", "predictions-ignore-input")),
)
