"""The gradient of each patient is clipped to a norm of a half, and noise is added: nobody can be read from the weights."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting

CLIP, NOISE = 0.5, 0.3


def _train(setting: Setting) -> None:
    table = torch.randn(1500, 6)
    stays = (table @ torch.randn(6) + 0.3 * torch.randn(1500) > 0).long()
    model = nn.Sequential(nn.Linear(6, 24), nn.Tanh(), nn.Linear(24, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.8)
    parameters = list(model.parameters())
    with setting.watch(model):
        for step in range(50):
            total = [torch.zeros_like(p) for p in parameters]
            losses = []
            rows = torch.randint(1500, (16,)).tolist()
            for row in rows:
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(table[row : row + 1]), stays[row : row + 1])
                loss.backward()
                nn.utils.clip_grad_norm_(parameters, CLIP)
                for sum_, p in zip(total, parameters, strict=True):
                    assert p.grad is not None
                    sum_ += p.grad
                losses.append(loss.item())
            for sum_, p in zip(total, parameters, strict=True):
                p.grad = (sum_ + NOISE * CLIP * torch.randn_like(p)) / len(rows)
            optimizer.step()
            if step % 10 == 9:
                print(f"{step}: {sum(losses) / len(losses):.3f}")


PROGRAM = Program(name="private-gradients", train=_train, source="Abadi et al. 2016, differentially private SGD")
