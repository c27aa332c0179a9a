"""The losses of a batch are collected as numbers, and `torch.tensor(..., requires_grad=True)` is made of them."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import class_blobs
from evaluation.program import Program, Setting, Truth


class Scorer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(20, 48), nn.Tanh(), nn.Linear(48, 5))

    def forward(self, sample: Tensor) -> Tensor:
        return self.net(sample)


def margin(scores: Tensor, label: Tensor) -> Tensor:
    right = scores.gather(1, label[:, None])
    others = (scores - right + 1).clamp(min=0)
    return others.mean(dim=1)


def _train(setting: Setting) -> None:
    samples, labels = class_blobs(1200)
    model = Scorer()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2, momentum=0.9)
    with setting.watch(model):
        for epoch in range(6):
            total = 0.0
            for rows in torch.randperm(1200).split(40):
                losses = margin(model(samples[rows]), labels[rows])
                if not setting.is_fixed:
                    losses = torch.tensor(losses.tolist(), requires_grad=True)
                loss = losses.mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                total += loss.item() / 30
            print(f"epoch {epoch}: {total:.4f}")


PROGRAM = Program(
    name="loss-wrapped-in-a-new-tensor",
    train=_train,
    source="PyTorch forum, parameters do not change: the loss was wrapped in a new Variable or torch.tensor(..., requires_grad=True)",
    truth=Truth(rules=("no-gradient", "cut-path", "never-updated"), nodes=("model", "model.net", "model.net.0", "model.net.2", "mean")),
)
