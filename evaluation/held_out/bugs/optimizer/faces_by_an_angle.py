"""Faces are distinguished by angles. A part of its own compares a face with the center of each person."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


class AdaCos(nn.Module):
    def __init__(self, features: int, persons: int) -> None:
        super().__init__()
        self.W = nn.Parameter(torch.empty(persons, features))
        nn.init.xavier_uniform_(self.W)

    def forward(self, features: Tensor) -> Tensor:
        return 6 * nn.functional.normalize(features) @ nn.functional.normalize(self.W).T


class FaceModel(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.backbone = nn.Sequential(nn.Flatten(), nn.Linear(144, 64), nn.ReLU(), nn.Linear(64, 4))
        self.metric_fc = AdaCos(4, 10)

    def forward(self, image: Tensor) -> Tensor:
        return self.metric_fc(self.backbone(image))


def _train(setting: Setting) -> None:
    images, persons = digits(1800, classes=10)
    model = FaceModel()
    parameters = [*model.backbone.parameters()]
    if setting.is_fixed:
        parameters += [*model.metric_fc.parameters()]
    optimizer = torch.optim.SGD(parameters, lr=0.1, momentum=0.9)
    with setting.watch(model):
        for epoch in range(6):
            for rows in torch.randperm(1800).split(60):
                loss = nn.functional.cross_entropy(model(images[rows] - 0.4), persons[rows])
                model.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="faces-by-an-angle",
    train=_train,
    source="https://github.com/4uiiurz1/pytorch-adacos/issues/10",
    truth=Truth(
        rules=("not-in-optimizer", "never-updated"),
        nodes=("model.metric_fc.W", "model.metric_fc"),
    ),
)
