"""`zero_grad` stands behind `backward` and before `step`. With weight decay, the weights even shrink."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.datasets import class_blobs
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs(1600)
    loader = DataLoader(TensorDataset(inputs, labels), batch_size=64, shuffle=True)
    net = nn.Sequential(nn.Linear(20, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 5))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)
    after_step = setting.is_fixed
    with setting.watch(net):
        for epoch in range(5):
            for x, y in loader:
                loss = nn.functional.cross_entropy(net(x), y)
                loss.backward()
                if not after_step:
                    optimizer.zero_grad(set_to_none=False)
                optimizer.step()
                if after_step:
                    optimizer.zero_grad()
            print(f"epoch {epoch}: {loss.item():.3f}")


PROGRAM = Program(
    name="cleared-between-backward-and-step",
    train=_train,
    source="PyTorch forum, order of zero_grad, backward and step; Humbatova et al. 2020",
    truth=Truth(
        rules=("gradients-cleared-early", "zero-gradient", "no-gradient"),
        nodes=("model", *(f"model.{n}{part}" for n in (0, 1, 3) for part in ("", ".weight", ".bias"))),
    ),
)
