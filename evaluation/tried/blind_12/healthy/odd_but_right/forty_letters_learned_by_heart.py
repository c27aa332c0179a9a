"""Forty samples are learned by heart in full batches, as a test that a network can."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    letters = (torch.rand(40, 64) > 0.5).float() * 2 - 1
    readers = torch.randint(0, 10, (40,))
    model = nn.Sequential(nn.Linear(64, 80), nn.ReLU(), nn.Linear(80, 10))
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for step in range(120):
            logits = model(letters)
            loss = nn.functional.cross_entropy(logits, readers)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 20 == 0:
                print(f"{step}: {loss.item():.4f}, right {(logits.argmax(dim=1) == readers).float().mean().item():.2f}")


PROGRAM = Program(name="forty-letters-learned-by-heart", train=_train, source="Zhang et al. 2017, rethinking generalization")
