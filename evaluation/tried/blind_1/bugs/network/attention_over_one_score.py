"""Multiple-instance learning whose attention is normalized over its last dimension, which has size 1: every instance weighs 1."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Bag(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.instances = nn.Sequential(nn.Linear(8, 32), nn.ReLU())
        self.attention = nn.Sequential(nn.Linear(32, 16), nn.Tanh(), nn.Linear(16, 1))
        self.softmax = nn.Softmax(dim=dim)
        self.classifier = nn.Linear(32, 2)

    def forward(self, bags: Tensor) -> Tensor:
        h = self.instances(bags)
        weights = self.softmax(self.attention(h))
        return self.classifier((weights * h).sum(dim=1))


def _train(setting: Setting) -> None:
    bags = torch.randn(1600, 12, 8)
    # A bag is positive if its instance with the largest first feature has a positive second feature.
    key = bags[:, :, 0].argmax(dim=1)
    labels = (bags[torch.arange(1600), key, 1] > 0).long()
    model = Bag(dim=1 if setting.is_fixed else -1)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for x, y in batches(800, 32, bags, labels):
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="attention-over-one-score",
    train=_train,
    source="PyTorch forum, attention weights that are all 1; the network is that of Ilse et al. 2018",
    truth=Truth(rules=("softmax-over-one",), nodes=("model.softmax: output", "model.softmax")),
)
