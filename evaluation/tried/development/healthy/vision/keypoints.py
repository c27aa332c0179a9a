"""Finds the center of a shape, with the smooth L1 loss."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting
from evaluation.shapes_and_sentences import shapes


def _train(setting: Setting) -> None:
    data = shapes(2048)
    model = nn.Sequential(
        nn.Conv2d(1, 8, 5, stride=2, padding=2),
        nn.LeakyReLU(0.1),
        nn.Conv2d(8, 16, 3, stride=2, padding=1),
        nn.LeakyReLU(0.1),
        nn.Flatten(),
        nn.Linear(16 * 4 * 4, 64),
        nn.LeakyReLU(0.1),
        nn.Linear(64, 2),
    )
    criterion = nn.SmoothL1Loss(beta=0.1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for _ in range(14):
            for index in torch.randperm(2048).split(32):
                optimizer.zero_grad()
                loss = criterion(model(data.images[index]), data.centers[index])
                loss.backward()
                optimizer.step()


PROGRAM = Program(name="keypoints", train=_train, source="Keypoint regression with the smooth L1 loss of Girshick 2015")
