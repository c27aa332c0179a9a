"""Gradients are set to zero between the backward pass and the step: no step changes anything."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


class Byol(nn.Module):
    def __init__(self, dim: int = 24) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Flatten(), nn.Linear(144, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, dim))
        self.predictor = nn.Sequential(nn.Linear(dim, 48), nn.BatchNorm1d(48), nn.ReLU(), nn.Linear(48, dim))

    def forward(self, first: Tensor, second: Tensor) -> Tensor:
        a, b = self.encoder(first), self.encoder(second)
        first = 1 - nn.functional.cosine_similarity(self.predictor(a), b.detach())
        second = 1 - nn.functional.cosine_similarity(self.predictor(b), a.detach())
        return (first + second).mean() / 2


def augment(images: Tensor) -> Tensor:
    return images * (torch.rand_like(images) > 0.2) + 0.1 * torch.randn_like(images)


def _train(setting: Setting) -> None:
    is_fixed = setting.is_fixed
    images, _ = digits(1500)
    learner = Byol()
    opt = torch.optim.Adam(learner.parameters(), lr=2e-3)
    with setting.watch(learner):
        for epoch in range(5):
            for rows in torch.randperm(1500).split(64):
                loss = learner(augment(images[rows]), augment(images[rows]))
                if is_fixed:
                    opt.zero_grad()
                loss.backward()
                if not is_fixed:
                    opt.zero_grad()
                opt.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="zeroed-right-before-the-update",
    train=_train,
    source="https://github.com/lucidrains/byol-pytorch/issues/93",
    truth=Truth(rules=("gradients-cleared-early", "never-updated", "no-gradient", "loss-does-not-fall", "zero-gradient")),
)
