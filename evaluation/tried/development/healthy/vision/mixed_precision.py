"""A convolutional network under autocast to bfloat16."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting
from evaluation.shapes_and_sentences import shapes


def _train(setting: Setting) -> None:
    data = shapes(2048)
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3, stride=2, padding=1),
        nn.GroupNorm(2, 8),
        nn.SiLU(),
        nn.Conv2d(8, 16, 3, padding=1),
        nn.GroupNorm(4, 16),
        nn.SiLU(),
        nn.AdaptiveAvgPool2d(2),
        nn.Flatten(),
        nn.Linear(64, 4),
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for _ in range(10):
            for index in torch.randperm(2048).split(32):
                optimizer.zero_grad(set_to_none=True)
                with torch.autocast("cpu", dtype=torch.bfloat16):
                    loss = nn.functional.cross_entropy(model(data.images[index]), data.classes[index])
                loss.backward()
                optimizer.step()


PROGRAM = Program(name="mixed-precision", train=_train, source="PyTorch's recipe on automatic mixed precision")
