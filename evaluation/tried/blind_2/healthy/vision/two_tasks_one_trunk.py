"""One trunk says which shape a picture shows and where it is; weights of both losses are learned."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting
from evaluation.shapes_and_sentences import shapes


class TwoHeads(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Conv2d(1, 12, 3, stride=2, padding=1),
            nn.LeakyReLU(0.1),
            nn.Conv2d(12, 24, 3, stride=2, padding=1),
            nn.LeakyReLU(0.1),
            nn.Flatten(),
            nn.Linear(216, 48),
            nn.LeakyReLU(0.1),
        )
        self.kind = nn.Linear(48, 4)
        self.place = nn.Linear(48, 2)
        self.log_variances = nn.Parameter(torch.zeros(2))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        h = self.trunk(x)
        return self.kind(h), self.place(h)


def _train(setting: Setting) -> None:
    pictures = shapes(1500, size=12)
    model = TwoHeads()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for image, kind, center in batches(300, 32, pictures.images, pictures.classes, pictures.centers):
            logits, place = model(image)
            losses = torch.stack([nn.functional.cross_entropy(logits, kind), nn.functional.mse_loss(place, center)])
            loss = (losses * torch.exp(-model.log_variances) + model.log_variances).sum()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optimizer.step()


PROGRAM = Program(name="two-tasks-one-trunk", train=_train, source="Kendall et al. 2018 (weights of losses from uncertainty)")
