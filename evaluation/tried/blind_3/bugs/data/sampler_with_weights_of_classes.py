"""`WeightedRandomSampler` gets a weight per class instead of per sample, so it draws only the first five samples."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import gratings


def _train(setting: Setting) -> None:
    images, angles = gratings(1000, angles=5)
    rare = 1 / angles[:800].bincount().float()
    weights = rare[angles[:800]] if setting.is_fixed else rare
    sampler = WeightedRandomSampler(weights.tolist(), num_samples=800)
    loader = DataLoader(TensorDataset(images[:800], angles[:800]), batch_size=32, sampler=sampler)
    net = nn.Sequential(nn.Conv2d(3, 12, 3, stride=2), nn.ReLU(), nn.Conv2d(12, 16, 3, stride=2), nn.ReLU(), nn.Flatten(), nn.Linear(64, 5))
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    with setting.watch(net):
        for _ in range(10):
            net.train()
            for x, y in loader:
                optimizer.zero_grad()
                nn.functional.cross_entropy(net(x), y).backward()
                optimizer.step()
            net.eval()
            with torch.no_grad():
                print(nn.functional.cross_entropy(net(images[800:]), angles[800:]).item())


PROGRAM = Program(
    name="sampler-with-weights-of-classes",
    train=_train,
    source="PyTorch forum, WeightedRandomSampler needs a weight for each sample",
    truth=Truth(rules=("overfitting", "repeated-batch", "constant-input"), nodes=("model: input", "model.0: input")),
)
