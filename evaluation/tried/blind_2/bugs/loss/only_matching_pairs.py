"""A Siamese network sees only pairs that match, so it learns to give every signature the same code."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class Siamese(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 8))

    def forward(self, left: Tensor, right: Tensor) -> tuple[Tensor, Tensor]:
        return self.net(left), self.net(right)


def contrastive(left: Tensor, right: Tensor, is_same: Tensor, margin: float = 1.0) -> Tensor:
    distance = ((left - right).square().sum(dim=1) + 1e-8).sqrt()
    return (is_same * distance**2 + (1 - is_same) * (margin - distance).clamp(min=0) ** 2).mean()


def _train(setting: Setting) -> None:
    people = torch.randn(30, 20)
    model = Siamese()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for _ in range(300):
            who = torch.randint(30, (48,))
            other = torch.randint(30, (48,)) if setting.is_fixed else who
            is_same = torch.rand(48) < 0.5
            partner = torch.where(is_same, who, other)
            left = people[who] + 0.4 * torch.randn(48, 20)
            right = people[partner] + 0.4 * torch.randn(48, 20)
            first, second = model(left, right)
            loss = contrastive(first, second, (who == partner).float())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="only-matching-pairs",
    train=_train,
    source="Hadsell et al. 2006 (collapse without dissimilar pairs); PyTorch forum, Siamese network gives the same output",
    truth=Truth(
        rules=("same-for-all-samples", "weights-collapse", "vanishing-gradient"),
        nodes=(
            "model.net.4: output",
            "model.net: output",
            "model: output[0]",
            "model: output[1]",
            "model: output",
            "model.net.2: output",
            "model.net.4",
        ),
    ),
)
