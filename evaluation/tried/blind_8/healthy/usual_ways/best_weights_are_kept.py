"""After each epoch the network is tested in evaluation mode, and the best weights are loaded in the end."""

from __future__ import annotations

import copy

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting
from evaluation.worlds import clients


def _train(setting: Setting) -> None:
    table, stays = clients(2400)
    train = DataLoader(TensorDataset(table[:1800], stays[:1800]), batch_size=60, shuffle=True)
    held = DataLoader(TensorDataset(table[1800:], stays[1800:]), batch_size=100)
    net = nn.Sequential(nn.Linear(12, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Dropout(0.2), nn.Linear(64, 2))
    optimizer = torch.optim.AdamW(net.parameters(), lr=3e-3, weight_decay=0.05)
    best, kept = float("inf"), copy.deepcopy(net.state_dict())
    with setting.watch(net):
        for _ in range(7):
            net.train()
            for row, label in train:
                optimizer.zero_grad()
                nn.functional.cross_entropy(net(row), label).backward()
                optimizer.step()
            net.eval()
            with torch.inference_mode():
                error = sum(nn.functional.cross_entropy(net(row), label).item() for row, label in held)
            if error < best:
                best, kept = error, copy.deepcopy(net.state_dict())
    net.load_state_dict(kept)


PROGRAM = Program(name="best-weights-are-kept", train=_train, source="Prechelt 1998; PyTorch tutorial, transfer learning")
