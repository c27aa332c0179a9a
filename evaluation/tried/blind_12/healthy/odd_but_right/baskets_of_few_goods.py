"""Inputs of 300 columns of which a dozen are not 0: which goods are in a basket."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    taste = torch.randn(300, 4)
    goods = torch.rand(3000, 300).topk(12, dim=1).indices
    baskets = torch.zeros(3000, 300).scatter_(1, goods, 1.0)
    kind = (baskets @ taste + 0.5 * torch.randn(3000, 4)).argmax(dim=1)
    model = nn.Sequential(nn.Linear(300, 32), nn.ReLU(), nn.Linear(32, 4))
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.05)
    with setting.watch(model):
        for epoch in range(4):
            for rows in torch.randperm(2600).split(65):
                loss = nn.functional.cross_entropy(model(baskets[rows]), kind[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            with torch.no_grad():
                right = (model(baskets[2600:]).argmax(dim=1) == kind[2600:]).float().mean()
            print(f"epoch {epoch}: {loss.item():.4f}, right {right.item():.3f}")


PROGRAM = Program(name="baskets-of-few-goods", train=_train, source="Duchi et al. 2011, adaptive subgradients for sparse data")
