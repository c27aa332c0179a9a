"""A Siamese network with a contrastive loss: matching pairs are one of four, and far pairs have no gradient."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class Faces(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.branch = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.BatchNorm1d(64), nn.Linear(64, 12))

    def forward(self, left: Tensor, right: Tensor) -> Tensor:
        return nn.functional.pairwise_distance(self.branch(left), self.branch(right))


def _train(setting: Setting) -> None:
    people = torch.randn(40, 32)
    light = torch.randn(3, 32)

    def photo(who: Tensor) -> Tensor:
        return people[who] + torch.randn(len(who), 3) @ light + 0.4 * torch.randn(len(who), 32)

    model = Faces()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    margin = 2.0
    with setting.watch(model):
        for step in range(320):
            first = torch.randint(40, (64,))
            second = torch.where(torch.rand(64) < 0.25, first, torch.randint(40, (64,)))
            same = (first == second).float()
            distance = model(photo(first), photo(second))
            loss = (same * distance.square() + (1 - same) * (margin - distance).clamp(min=0).square()).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 80 == 79:
                right = ((distance < margin / 2) == (same > 0)).float().mean().item()
                print(f"step {step}: loss {loss.item():.3f}, right {right:.3f}")


PROGRAM = Program(name="same-person", train=_train, source="Hadsell et al. 2006 (contrastive loss)")
