"""An encoder applies the same layer three times, to save memory. The kind of a sentence is what follows a certain word."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.series_and_tables import commands


class SharedEncoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(30, 16)
        self.widen = nn.Linear(16, 48)
        self.places = nn.Parameter(0.1 * torch.randn(10, 48))
        self.layer = nn.TransformerEncoderLayer(48, 4, dim_feedforward=96, dropout=0.0, batch_first=True, norm_first=True)
        self.norm = nn.LayerNorm(48)
        self.out = nn.Linear(48, 3)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.widen(self.words(tokens)) + self.places
        for _ in range(3):
            x = self.layer(x)
        return self.out(self.norm(x).mean(dim=1))


def _train(setting: Setting) -> None:
    tokens, labels = commands(1800)
    model = SharedEncoder()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for epoch in range(4):
            for rows in torch.randperm(1800).split(60):
                loss = nn.functional.cross_entropy(model(tokens[rows]), labels[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(name="same-layer-again-on-purpose", train=_train, source="Lan et al. 2020, ALBERT")
