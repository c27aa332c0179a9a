"""Labels come from five annotators, and how each of them errs is learned together with the classifier."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting


class Crowd(nn.Module):
    def __init__(self, features: int, classes: int, annotators: int) -> None:
        super().__init__()
        self.classifier = nn.Sequential(nn.Linear(features, 48), nn.ReLU(), nn.Linear(48, classes))
        self.confusion = nn.Parameter(3 * torch.eye(classes).repeat(annotators, 1, 1))

    def forward(self, x: Tensor, who: Tensor) -> Tensor:
        truth = self.classifier(x).log_softmax(dim=1)
        said = self.confusion[who].log_softmax(dim=2)
        return torch.logsumexp(truth[:, :, None] + said, dim=1)


def _train(setting: Setting) -> None:
    x, truth = class_blobs(2000, features=12, classes=4)
    who = torch.randint(5, (2000,))
    errs = torch.rand(2000) < torch.tensor([0.05, 0.1, 0.2, 0.3, 0.5])[who]
    labels = torch.where(errs, (truth + 1) % 4, truth)
    model = Crowd(12, 4, 5)
    groups: list[dict[str, Any]] = [{"params": model.classifier.parameters()}, {"params": [model.confusion], "lr": 2e-2}]
    optimizer = torch.optim.Adam(groups, lr=2e-3)
    with setting.watch(model):
        for inputs, person, label in batches(250, 40, x, who, labels):
            optimizer.zero_grad()
            nn.functional.nll_loss(model(inputs, person), label).backward()
            optimizer.step()


PROGRAM = Program(name="annotators-who-err", train=_train, source="Rodrigues and Pereira 2018 (deep learning from crowds)")
