"""One patient of a hundred is ill, and without weights or sampling the network calls everybody healthy."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    is_ill = (torch.arange(4000) % 100 == 0).float()
    blood = torch.randn(4000, 16)
    blood[:, :3] += 1.2 * is_ill[:, None]
    weights = torch.ones(4000)
    if setting.is_fixed:
        weights = 1 + 98 * is_ill
    sampler = WeightedRandomSampler(weights.tolist(), 3000)
    loader = DataLoader(TensorDataset(blood, is_ill), batch_size=50, sampler=sampler)
    model = nn.Sequential(nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    with setting.watch(model):
        for _ in range(7):
            for x, y in loader:
                loss = nn.functional.binary_cross_entropy_with_logits(model(x)[:, 0], y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    with torch.no_grad():
        called = model(blood)[:, 0] > 0
        print("ill people called ill", called[is_ill.bool()].float().mean().item(), "healthy:", called[is_ill == 0].float().mean().item())


PROGRAM = Program(
    name="one-percent-is-ill",
    train=_train,
    source="Humbatova et al. 2020, training data quality: unbalanced training data",
    truth=Truth(rules=("predictions-ignore-input", "constant-target", "loss-does-not-fall", "initial-loss", "same-for-all-samples")),
)
