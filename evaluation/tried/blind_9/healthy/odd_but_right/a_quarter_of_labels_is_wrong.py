"""A quarter of the labels is wrong. Gradients of four small batches are added up before each step."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.datasets import class_blobs
from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs(3200)
    is_wrong = torch.rand(3200) < 0.25
    noisy = torch.where(is_wrong, torch.randint(5, (3200,)), labels)
    loader = DataLoader(TensorDataset(inputs, noisy), batch_size=16, shuffle=True, drop_last=True)
    net = nn.Sequential(nn.Linear(20, 64), nn.LayerNorm(64), nn.Hardswish(), nn.Dropout(0.2), nn.Linear(64, 5))
    optimizer = torch.optim.AdamW(net.parameters(), lr=4e-3, weight_decay=0.01)
    with setting.watch(net):
        for epoch in range(3):
            net.train()
            for number, (x, y) in enumerate(loader, start=1):
                loss = nn.functional.cross_entropy(net(x), y, label_smoothing=0.1)
                (loss / 4).backward()
                if number % 4 == 0:
                    optimizer.step()
                    optimizer.zero_grad()
            net.eval()
            with torch.no_grad():
                right = (net(inputs).argmax(dim=1) == labels).float().mean()
            print(f"epoch {epoch}: {loss.item():.3f}, true labels {right.item():.2f}")


PROGRAM = Program(
    name="a-quarter-of-labels-is-wrong", train=_train, source="Rolnick et al. 2017, learning with label noise; gradient accumulation"
)
