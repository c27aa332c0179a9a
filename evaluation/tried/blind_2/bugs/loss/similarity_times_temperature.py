"""Cosine similarities are multiplied with the temperature 0.1 instead of divided by it: the softmax stays flat."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class TwoTowers(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.image = nn.Sequential(nn.Linear(30, 64), nn.GELU(), nn.Linear(64, 16))
        self.text = nn.Sequential(nn.EmbeddingBag(80, 32), nn.Linear(32, 16))

    def forward(self, image: Tensor, text: Tensor) -> Tensor:
        return F.normalize(self.image(image), dim=1) @ F.normalize(self.text(text), dim=1).T


def _train(setting: Setting) -> None:
    looks = torch.randn(80, 30)
    model = TwoTowers()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    temperature = 0.1
    with setting.watch(model):
        for _ in range(300):
            words = torch.randint(80, (40, 4))
            images = looks[words].mean(dim=1) + 0.1 * torch.randn(40, 30)
            similarity = model(images, words)
            logits = similarity / temperature if setting.is_fixed else similarity * temperature
            pairs = torch.arange(40)
            loss = (F.cross_entropy(logits, pairs) + F.cross_entropy(logits.T, pairs)) / 2
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="similarity-times-temperature",
    train=_train,
    source="common in re-implementations of CLIP and SimCLR",
    truth=Truth(rules=("loss-does-not-fall", "predictions-ignore-input")),
)
