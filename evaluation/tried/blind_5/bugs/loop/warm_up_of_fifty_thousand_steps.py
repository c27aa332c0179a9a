"""The warm-up of a classifier was copied from a large run: it lasts fifty thousand steps, and the training ends after 300."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    images, labels = digits(size=10)
    images = (images - images.mean()) / images.std()
    model = nn.Sequential(nn.Flatten(), nn.Linear(100, 96), nn.LayerNorm(96), nn.GELU(), nn.Linear(96, 6))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    warm_up = 50 if setting.is_fixed else 50_000
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / warm_up))
    with setting.watch(model):
        for _ in range(10):
            for chosen in torch.randperm(1500).split(50):
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(images[chosen]), labels[chosen])
                loss.backward()
                optimizer.step()
                scheduler.step()
    print("loss", loss.item(), "rate", scheduler.get_last_lr()[0])


PROGRAM = Program(
    name="warm-up-of-fifty-thousand-steps",
    train=_train,
    source="Humbatova et al. 2020: suboptimal learning rate schedule; fairseq and transformers issues on warm-up steps",
    truth=Truth(rules=("updates-too-small", "loss-does-not-fall", "predictions-ignore-input")),
)
