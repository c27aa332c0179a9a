"""A fifth of the labels of a news classifier is wrong at random; label smoothing and few epochs keep it from learning them."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class _News(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.EmbeddingBag(100, 24, mode="mean")
        self.body = nn.Sequential(nn.ReLU(), nn.Dropout(0.2), nn.Linear(24, 5))

    def forward(self, words: Tensor) -> Tensor:
        return self.body(self.words(words))


def _train(setting: Setting) -> None:
    topics = torch.randint(0, 5, (5000,))
    words = torch.where(
        torch.rand(5000, 12) < 0.4, topics[:, None] * 20 + torch.randint(0, 20, (5000, 12)), torch.randint(0, 100, (5000, 12))
    )
    labels = torch.where(torch.rand(5000) < 0.2, torch.randint(0, 5, (5000,)), topics)
    model = _News()
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for _ in range(3):
            model.train()
            for chosen in torch.randperm(4500).split(40):
                loss = criterion(model(words[chosen]), labels[chosen])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                logits = model(words[4500:])
            print(
                "validation", criterion(logits, labels[4500:]).item(), "accuracy", (logits.argmax(1) == topics[4500:]).float().mean().item()
            )


PROGRAM = Program(
    name="news-with-wrong-labels", train=_train, source="Szegedy et al. 2016 on label smoothing; Rolnick et al. 2017 on noise"
)
