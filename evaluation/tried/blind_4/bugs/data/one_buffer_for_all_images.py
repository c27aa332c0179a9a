"""A reader fills one buffer again and again and appends it, so all entries of the list are the last image."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


def _read(count: int, patterns: Tensor, labels: Tensor, *, copies: bool) -> Tensor:
    buffer = torch.empty(8, 8)
    images = []
    for number in range(count):
        torch.normal(patterns[labels[number]], 0.5, out=buffer)
        images.append(buffer.clone() if copies else buffer)
    return torch.stack(images)


def _train(setting: Setting) -> None:
    patterns = torch.randn(4, 8, 8)
    labels = torch.randint(0, 4, (1000,))
    images = _read(1000, patterns, labels, copies=setting.is_fixed)
    model = nn.Sequential(nn.Flatten(), nn.Linear(64, 32), nn.ELU(), nn.Linear(32, 4))
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for _ in range(12):
            for index in torch.randperm(800).split(25):
                loss = nn.functional.cross_entropy(model(images[index]), labels[index])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    with torch.no_grad():
        print("accuracy", (model(images[800:]).argmax(1) == labels[800:]).float().mean().item())


PROGRAM = Program(
    name="one-buffer-for-all-images",
    train=_train,
    source="PyTorch forum: my Dataset returns the same image for every index",
    truth=Truth(
        rules=("constant-input", "repeated-batch", "same-for-all-samples", "predictions-ignore-input", "loss-does-not-fall"),
    ),
)
