"""Two signatures go through the same network, and a contrastive loss draws those of the same hand together."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class _Siamese(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Sequential(nn.Linear(24, 48), nn.ReLU(), nn.Linear(48, 8))

    def forward(self, a: Tensor, b: Tensor) -> Tensor:
        return nn.functional.pairwise_distance(self.embed(a), self.embed(b))


def _contrastive(distance: Tensor, is_same: Tensor, margin: float = 1.5) -> Tensor:
    return (is_same * distance.square() + (1 - is_same) * (margin - distance).clamp(min=0).square()).mean()


def _train(setting: Setting) -> None:
    hands = torch.randn(12, 24)
    first = torch.randint(0, 12, (1600,))
    is_same = (torch.rand(1600) < 0.5).float()
    second = torch.where(is_same.bool(), first, (first + torch.randint(1, 12, (1600,))) % 12)
    a, b = hands[first] + 0.8 * torch.randn(1600, 24), hands[second] + 0.8 * torch.randn(1600, 24)
    model = _Siamese()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for _ in range(10):
            for index in torch.randperm(1300).split(32):
                loss = _contrastive(model(a[index], b[index]), is_same[index])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    with torch.no_grad():
        print("accuracy", ((model(a[1300:], b[1300:]) < 0.75) == is_same[1300:].bool()).float().mean().item())


PROGRAM = Program(name="signatures-by-contrast", train=_train, source="Hadsell et al. 2006: contrastive loss")
