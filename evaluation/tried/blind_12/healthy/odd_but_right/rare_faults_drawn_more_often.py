"""Three of a hundred machines have a fault. Batches are drawn so that both kinds are as frequent."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    sensors = torch.randn(4000, 10)
    strain = sensors[:, 0] * sensors[:, 1] + sensors[:, 2].relu() + sensors[:, 3]
    faulty = (strain > strain.quantile(0.97)).long()
    weights = torch.where(faulty == 1, 1 / 0.03, 1 / 0.97)
    sampler = WeightedRandomSampler(weights.tolist(), 4000)
    loader = DataLoader(TensorDataset(sensors, faulty), batch_size=80, sampler=sampler)
    model = nn.Sequential(nn.Linear(10, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for epoch in range(4):
            for inputs, targets in loader:
                loss = nn.functional.cross_entropy(model(inputs), targets)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            with torch.no_grad():
                share = (model(sensors[faulty == 1]).argmax(dim=1) == 1).float().mean()
            print(f"epoch {epoch}: {loss.item():.4f}, faults found {share.item():.3f}")


PROGRAM = Program(name="rare-faults-drawn-more-often", train=_train, source="Buda et al. 2018, oversampling for imbalanced classes")
