"""Three tasks, one after the other, with a replay of earlier ones; the loss jumps at each new task."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    x = torch.randn(2000, 10)
    tasks = [(x @ torch.randn(10, 3)).argmax(1) for _ in range(3)]
    names = torch.eye(3)
    model = nn.Sequential(nn.Linear(13, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    with setting.watch(model):
        for current in range(3):
            for _ in range(300):
                index = torch.randint(2000, (64,))
                task = torch.full((64,), current)
                replayed = torch.rand(64) < 0.3
                task[replayed] = torch.randint(current + 1, (int(replayed.sum()),))
                target = torch.stack(tasks)[task, index]
                loss = nn.functional.cross_entropy(model(torch.cat([x[index], names[task]], dim=1)), target)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


PROGRAM = Program(name="continual", train=_train, source="Continual learning with experience replay, Rolnick et al. 2019")
