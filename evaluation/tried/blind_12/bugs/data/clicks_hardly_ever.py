"""Two of a hundred samples are of the rare class, and nothing is done about it: the network learns to say no."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    visits = torch.randn(6000, 12)
    wish = torch.tanh(visits @ torch.randn(12, 8)) @ torch.randn(8)
    wish = wish / wish.std() + 0.7 * torch.randn(6000)
    labels = (wish > wish.quantile(0.98)).long()
    weights = torch.where(labels == 1, 0.49, 0.01)
    sampler = WeightedRandomSampler(weights.tolist(), 6000) if setting.is_fixed else None
    loader = DataLoader(TensorDataset(visits, labels), batch_size=64, shuffle=sampler is None, sampler=sampler)
    model = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    with setting.watch(model):
        for epoch in range(2):
            for x, y in loader:
                loss = nn.functional.cross_entropy(model(x), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            with torch.no_grad():
                share = (model(visits[labels == 1]).argmax(dim=1) == 1).float().mean()
            print(f"epoch {epoch}: loss {loss.item():.4f}, of the rare ones found {share.item():.2f}")


PROGRAM = Program(
    name="clicks-hardly-ever",
    train=_train,
    source="https://decodetrail.com/question/why-does-my-cnn-predict-only-one-class-no-matter-what-image-i-give-it/",
    truth=Truth(rules=("class-imbalance", "predictions-ignore-input"), nodes=("cross_entropy: target",)),
)
