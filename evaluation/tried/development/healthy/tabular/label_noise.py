"""A third of the labels are wrong; a small network still learns the rule behind the others."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    x = torch.rand(3000, 2) * 2 - 1
    true = (x[:, 0] * x[:, 1] > 0).long() + 2 * (x.norm(dim=1) > 0.8).long()
    noisy = torch.where(torch.rand(3000) < 0.33, torch.randint(4, (3000,)), true)
    model = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    accuracies = []
    with setting.watch(model):
        for _ in range(20):
            for index in torch.randperm(2500).split(50):
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(x[index]), noisy[index])
                loss.backward()
                optimizer.step()
            with torch.no_grad():
                accuracies.append((model(x[2500:]).argmax(1) == true[2500:]).float().mean().item())


PROGRAM = Program(name="label-noise", train=_train, source="Rolnick et al. 2017: deep learning is robust to massive label noise")
