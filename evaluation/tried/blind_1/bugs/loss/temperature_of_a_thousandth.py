"""The temperature of cosine scores is 0.001, so the first scores differ by hundreds and the loss starts far above chance."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Matcher(nn.Module):
    def __init__(self, temperature: float) -> None:
        super().__init__()
        self.left = nn.Linear(12, 24)
        self.right = nn.Linear(20, 24)
        self.temperature = temperature

    def forward(self, left: Tensor, right: Tensor) -> Tensor:
        a = nn.functional.normalize(self.left(left), dim=-1)
        b = nn.functional.normalize(self.right(right), dim=-1)
        return a @ b.T / self.temperature


def _train(setting: Setting) -> None:
    left = torch.randn(1500, 12)
    right = torch.tanh(left @ torch.randn(12, 20)) + 0.1 * torch.randn(1500, 20)
    model = Matcher(0.1 if setting.is_fixed else 0.001)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    with setting.watch(model):
        for a, b in batches(500, 32, left, right):
            logits = model(a, b)
            labels = torch.arange(32)
            loss = (nn.functional.cross_entropy(logits, labels) + nn.functional.cross_entropy(logits.T, labels)) / 2
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="temperature-of-a-thousandth",
    train=_train,
    source="Wang and Liu 2021 on the temperature of contrastive losses; issues of CLIP implementations",
    truth=Truth(rules=("initial-loss",), nodes=("model: output",)),
)
