"""From step 40 on pairs hold the same photo twice. Their distance is the root of zero, whose gradient is infinite times zero."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    persons = torch.randn(12, 20)
    model = nn.Sequential(nn.Linear(20, 40), nn.ReLU(), nn.Linear(40, 8))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    tiny = 1e-6 if setting.is_fixed else 0.0
    with setting.watch(model):
        for step in range(160):
            first, second = torch.randint(0, 12, (2, 64))
            second[:20] = first[:20]
            left, right = (persons[who] + 0.3 * torch.randn(64, 20) for who in (first, second))
            if step >= 40:
                right[0] = left[0]
            distance = ((model(left) - model(right)).pow(2).sum(1) + tiny).sqrt()
            is_same = (first == second).float()
            loss = (is_same * distance.pow(2) + (1 - is_same) * (2 - distance).clamp(min=0).pow(2)).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 32 == 31:
                print(step, loss.item())


PROGRAM = Program(
    name="distance-of-one-photo-to-itself",
    train=_train,
    source="github.com/pytorch/pytorch/issues/2421: the gradient of a norm of zero is NaN",
    truth=Truth(rules=("nan-origin",), nodes=("sqrt", "model: output", "model.2"), step=40),
)
