"""A perceptron fits a smooth function of eight features."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    x = torch.randn(2048, 8)
    y = torch.sin(x[:, :1]) + x[:, 1:2] * x[:, 2:3] + 0.5 * x[:, 3:4] + 0.1 * torch.randn(2048, 1)
    loader = DataLoader(TensorDataset(x, y), batch_size=64, shuffle=True)
    model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    criterion = nn.MSELoss()
    with setting.watch(model):
        for _ in range(40):
            for features, target in loader:
                optimizer.zero_grad()
                loss = criterion(model(features), target)
                loss.backward()
                optimizer.step()


PROGRAM = Program(name="mlp-regression", train=_train, source="PyTorch's quick start, for regression")
