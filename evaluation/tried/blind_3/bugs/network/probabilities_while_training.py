"""`forward` returns probabilities in training and logits in evaluation: the `not` is missing."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.worlds import spirals


class Classifier(nn.Module):
    def __init__(self, is_fixed: bool) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(2, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 4))
        self.is_fixed = is_fixed

    def forward(self, points: Tensor) -> Tensor:
        logits = self.layers(points)
        wants_probabilities = not self.training if self.is_fixed else self.training
        return nn.functional.softmax(logits, dim=-1) if wants_probabilities else logits


def _train(setting: Setting) -> None:
    points, arms = spirals(1500, arms=4)
    net = Classifier(setting.is_fixed)
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    with setting.watch(net):
        for epoch in range(6):
            net.train()
            for x, y in batches(45, 32, points[:1300], arms[:1300]):
                optimizer.zero_grad()
                nn.functional.cross_entropy(net(x), y).backward()
                optimizer.step()
            net.eval()
            with torch.no_grad():
                right = (net(points[1300:]).argmax(dim=1) == arms[1300:]).float().mean()
            print(f"epoch {epoch}: {right:.1%}")


PROGRAM = Program(
    name="probabilities-while-training",
    train=_train,
    source="Stack Overflow, softmax depending on self.training",
    truth=Truth(rules=("softmax-before-cross-entropy",), nodes=("model: output", "model", "model.layers: output", "model.layers")),
)
