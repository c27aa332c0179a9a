"""One transformer layer is used four times on purpose, as in a universal transformer."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, sentences
from evaluation.program import Program, Setting


class Universal(nn.Module):
    def __init__(self, times: int) -> None:
        super().__init__()
        self.times = times
        self.embed = nn.Embedding(40, 24)
        self.layer = nn.TransformerEncoderLayer(24, 2, 48, dropout=0.0, batch_first=True, norm_first=True)
        self.norm, self.out = nn.LayerNorm(24), nn.Linear(24, 2)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.embed(tokens)
        for _ in range(self.times):
            x = self.layer(x)
        return self.out(self.norm(x).mean(dim=1))


def _train(setting: Setting) -> None:
    tokens, labels = sentences(1200, length=10)
    model = Universal(4)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for x, y in batches(150, 32, tokens, labels):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="one-layer-four-times", train=_train, source="Dehghani et al. 2019, Lan et al. 2020")
