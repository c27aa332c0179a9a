"""A table of patients is sorted by diagnosis, and its loader does not shuffle."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    profile = torch.randn(4, 10)
    diagnosis = torch.arange(4).repeat_interleave(300)
    values = profile[diagnosis] + torch.randn(1200, 10)
    loader = DataLoader(TensorDataset(values, diagnosis), batch_size=20, shuffle=setting.is_fixed)
    test = torch.randint(0, 4, (400,))
    test_values = profile[test] + torch.randn(400, 10)
    model = nn.Sequential(nn.Linear(10, 40), nn.Tanh(), nn.Linear(40, 20), nn.Tanh(), nn.Linear(20, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    with setting.watch(model):
        for _ in range(8):
            for x, y in loader:
                loss = nn.functional.cross_entropy(model(x), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            with torch.no_grad():
                print("accuracy", (model(test_values).argmax(1) == test).float().mean().item())


PROGRAM = Program(
    name="patients-sorted-by-diagnosis",
    train=_train,
    source="Schoop et al. 2021, UMLAUT, and the PyTorch forum: shuffle=False with sorted data",
    truth=Truth(rules=("batches-not-shuffled", "constant-target", "oscillating-loss", "predictions-ignore-input")),
)
