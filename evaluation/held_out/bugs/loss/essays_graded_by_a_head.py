"""Essays get a grade from a regression head on top of an encoder of words."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class RegressionHead(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.feed_forward = nn.Sequential(nn.Linear(width, 32), nn.GELU(), nn.Linear(32, 1))

    def forward(self, x: Tensor) -> Tensor:
        return self.feed_forward(x).squeeze(1)

    def logits_to_loss(self, logits: Tensor, labels: Tensor) -> Tensor:
        return ((logits - labels) ** 2).mean()


class AdaptiveModel(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.EmbeddingBag(60, 48)
        self.prediction_head = RegressionHead(48)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.prediction_head(self.words(tokens))


def _train(setting: Setting) -> None:
    tokens = torch.randint(0, 60, (1600, 14))
    quality = torch.randn(60)[tokens].mean(dim=1, keepdim=True)
    grades = (quality - quality.mean()) / quality.std()
    if setting.is_fixed:
        grades = grades.squeeze(1)
    model = AdaptiveModel()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for epoch in range(4):
            for rows in torch.randperm(1600).split(32):
                loss = model.prediction_head.logits_to_loss(model(tokens[rows]), grades[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="essays-graded-by-a-head",
    train=_train,
    source="https://github.com/deepset-ai/FARM/issues/229",
    truth=Truth(
        rules=("broadcast-in-loss", "predictions-ignore-input"),
        nodes=("sub", "pow", "mean", "model: output", "model.prediction_head", "model.prediction_head.feed_forward.2"),
    ),
)
