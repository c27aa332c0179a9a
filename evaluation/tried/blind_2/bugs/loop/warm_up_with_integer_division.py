"""The warm-up divides with `//`, so the learning rate is 0 until the warm-up is over."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth

WARM_UP = 150


class TextCnn(nn.Module):
    def __init__(self, vocabulary: int, classes: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(vocabulary, 24)
        self.convs = nn.ModuleList(nn.Conv1d(24, 16, width, padding="same") for width in (1, 2, 3))
        self.out = nn.Linear(48, classes)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.embed(tokens).transpose(1, 2)
        pooled = [torch.relu(conv(x)).amax(dim=2) for conv in self.convs]
        return self.out(torch.cat(pooled, dim=1))


def _train(setting: Setting) -> None:
    # A text belongs to the topic whose five words it uses most often.
    topics = torch.randint(4, (2000,))
    tokens = torch.where(torch.rand(2000, 15) < 0.35, topics[:, None] * 5 + torch.randint(5, (2000, 15)), torch.randint(60, (2000, 15)))
    model = TextCnn(60, 4)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)

    def factor(step: int) -> float:
        if setting.is_fixed:
            return min(1.0, (step + 1) / WARM_UP)
        return float(min(1, step // WARM_UP))

    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, factor)
    with setting.watch(model):
        for x, y in batches(300, 32, tokens, topics):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            scheduler.step()


PROGRAM = Program(
    name="warm-up-with-integer-division",
    train=_train,
    source="common in hand-written schedules, Humbatova et al. (learning rate)",
    truth=Truth(rules=("updates-too-small", "never-updated", "loss-does-not-fall")),
)
