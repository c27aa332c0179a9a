"""Embeddings in which samples of a class are closer than others by a margin."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    centers = torch.randn(8, 20)
    model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 8))
    criterion = nn.TripletMarginLoss(margin=1.0)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-4)
    with setting.watch(model):
        for _ in range(700):
            classes = torch.randint(8, (64,))
            others = (classes + torch.randint(1, 8, (64,))) % 8
            anchor, positive, negative = (centers[c] + torch.randn(64, 20) for c in (classes, classes, others))
            loss = criterion(model(anchor), model(positive), model(negative))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="triplet", train=_train, source="Schroff et al. 2015 (FaceNet)")
