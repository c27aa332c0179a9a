"""Gradients of four small batches are added up before each step; the loss is divided by four."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.datasets import class_blobs
from evaluation.program import Program, Setting


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(20, 96), nn.LayerNorm(96), nn.GELU(), nn.Linear(96, 48), nn.LayerNorm(48), nn.GELU())
        self.outer = nn.Linear(48, 5)

    def forward(self, x: Tensor) -> Tensor:
        return self.outer(self.inner(x))


def _train(setting: Setting) -> None:
    samples, labels = class_blobs(2000)
    loader = DataLoader(TensorDataset(samples, labels), batch_size=10, shuffle=True, drop_last=True)
    model = Net()
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
    accumulation_steps = 4
    with setting.watch(model):
        for epoch in range(3):
            running = 0.0
            for i, (x, y) in enumerate(loader):
                loss = nn.functional.cross_entropy(model(x), y) / accumulation_steps
                loss.backward()
                running += loss.item()
                if (i + 1) % accumulation_steps == 0:
                    optimizer.step()
                    optimizer.zero_grad()
            print(f"epoch {epoch}: {running / len(loader) * accumulation_steps:.4f}")


PROGRAM = Program(name="four-small-batches-for-a-step", train=_train, source="Hugging Face documentation, gradient accumulation")
