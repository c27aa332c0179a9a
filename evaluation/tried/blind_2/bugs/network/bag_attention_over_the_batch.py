"""Attention over the instances of a bag normalizes over the bags of the batch (`dim=0`)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class BagNet(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.encode = nn.Sequential(nn.Linear(6, 24), nn.ReLU())
        self.score = nn.Sequential(nn.Linear(24, 16), nn.Tanh(), nn.Linear(16, 1))
        self.normalize = nn.Softmax(dim=dim)
        self.classify = nn.Linear(24, 1)

    def forward(self, bags: Tensor) -> Tensor:
        h = self.encode(bags)
        weights = self.normalize(self.score(h))
        return self.classify((weights * h).sum(dim=1)).squeeze(1)


def _train(setting: Setting) -> None:
    # A bag is positive if it holds an instance of a rare kind.
    bags = torch.randn(1400, 9, 6)
    labels = (torch.rand(1400) < 0.5).float()
    rare = torch.randn(6) * 1.2
    bags[torch.arange(1400), torch.randint(9, (1400,))] += labels[:, None] * rare
    model = BagNet(dim=1 if setting.is_fixed else 0)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3, weight_decay=1e-5)
    criterion = nn.BCEWithLogitsLoss()
    with setting.watch(model):
        for x, y in batches(260, 36, bags, labels):
            loss = criterion(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="bag-attention-over-the-batch",
    train=_train,
    source="Ilse et al. 2018, softmax along the wrong dimension as in Stack Overflow 49036993",
    truth=Truth(rules=("softmax-over-batch",), nodes=("model.normalize: output", "model.normalize")),
)
