"""Layers with weight normalization and PReLU, for a table."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn.utils.parametrizations import weight_norm
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting
from evaluation.series_and_tables import orchards


def _train(setting: Setting) -> None:
    loader = DataLoader(TensorDataset(*orchards(1800)), batch_size=45, shuffle=True)
    net = nn.Sequential(
        weight_norm(nn.Linear(8, 48)), nn.PReLU(), weight_norm(nn.Linear(48, 48)), nn.PReLU(), weight_norm(nn.Linear(48, 1))
    )
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    with setting.watch(net):
        for _ in range(6):
            for trees, yields in loader:
                loss = nn.functional.mse_loss(net(trees), yields)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


PROGRAM = Program(name="weights-of-unit-direction", train=_train, source="Salimans and Kingma 2016")
