"""A contrastive loss multiplies similarities with the temperature of 0.05 instead of dividing by it, and stays near its start."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    prototypes = torch.randn(400, 16)
    model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 24))
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    temperature = 0.05
    with setting.watch(model):
        for (sample,) in batches(600, 32, prototypes):
            views = torch.cat([sample, sample]) + 0.3 * torch.randn(64, 16)
            z = nn.functional.normalize(model(views), dim=1)
            similarity = z @ z.T
            similarity = similarity / temperature if setting.is_fixed else similarity * temperature
            logits = similarity.masked_fill(torch.eye(64, dtype=torch.bool), -1e9)
            loss = nn.functional.cross_entropy(logits, torch.arange(64).roll(32))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="temperature-multiplied",
    train=_train,
    source="issues of SimCLR and CLIP implementations: the loss stays at the logarithm of the batch size",
    truth=Truth(rules=("loss-does-not-fall",)),
)
