"""A loader without shuffling goes through the folders one by one: first all cats, then all dogs, then all birds."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    animals = torch.arange(4).repeat_interleave(300)
    pictures = torch.randn(4, 3, 8, 8)[animals] + 2.0 * torch.randn(1200, 3, 8, 8)
    loader = DataLoader(TensorDataset(pictures, animals), batch_size=25, shuffle=setting.is_fixed)
    model = nn.Sequential(nn.Conv2d(3, 12, 3), nn.ReLU(), nn.Flatten(), nn.Linear(12 * 36, 32), nn.ReLU(), nn.Linear(32, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
    criterion = nn.CrossEntropyLoss()
    with setting.watch(model):
        for epoch in range(5):
            total = 0.0
            for x, y in loader:
                optimizer.zero_grad()
                loss = criterion(model(x), y)
                loss.backward()
                optimizer.step()
                total += loss.item()
            with torch.no_grad():
                right = (model(pictures).argmax(1) == animals).float().mean().item()
            print(epoch, total / len(loader), "accuracy", right)


PROGRAM = Program(
    name="files-read-class-by-class",
    train=_train,
    source="PyTorch forum, DataLoader without shuffle on ImageFolder; Humbatova et al. 2020: missing shuffling",
    truth=Truth(rules=("batches-not-shuffled", "constant-target", "oscillating-loss", "gradient-spike", "loss-does-not-fall")),
)
