"""Pictures and captions are brought together with a temperature that is learned."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.program import Program, Setting
from evaluation.worlds import gratings


class Pairs(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.image = nn.Sequential(
            nn.Conv2d(3, 16, 3, stride=2), nn.ReLU(), nn.Conv2d(16, 24, 3, stride=2), nn.ReLU(), nn.Flatten(), nn.Linear(96, 24)
        )
        self.words = nn.EmbeddingBag(20, 32)
        self.text = nn.Sequential(nn.ReLU(), nn.Linear(32, 24))
        self.log_scale = nn.Parameter(torch.tensor(math.log(10.0)))

    def forward(self, images: Tensor, captions: Tensor) -> Tensor:
        left = F.normalize(self.image(images), dim=1)
        right = F.normalize(self.text(self.words(captions)), dim=1)
        return self.log_scale.exp() * left @ right.T


def _train(setting: Setting) -> None:
    images, angles = gratings(1000, angles=10, noise=0.2)
    model = Pairs()
    decayed = [parameter for parameter in model.parameters() if parameter.ndim > 1]
    others = [parameter for parameter in model.parameters() if parameter.ndim <= 1]
    groups: list[dict[str, Any]] = [{"params": decayed}, {"params": others, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=2e-3, weight_decay=0.1)
    with setting.watch(model):
        for _ in range(180):
            # One picture of each kind, with a word for its kind and words for anything.
            chosen = torch.cat([(angles == kind).nonzero()[:, 0][torch.randint(60, (1,))] for kind in range(10)])
            captions = torch.cat([torch.arange(10)[:, None], torch.randint(10, 20, (10, 2))], dim=1)
            logits = model(images[chosen], captions)
            targets = torch.arange(10)
            loss = (F.cross_entropy(logits, targets) + F.cross_entropy(logits.T, targets)) / 2
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="pictures-and-captions", train=_train, source="Radford et al. 2021 (CLIP)")
