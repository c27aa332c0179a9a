"""Each step of a transformer sums the gradients of four small batches, and clips their norm."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.series_and_tables import commands


class Encoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(30, 32), nn.Embedding(10, 32)
        layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.1, batch_first=True, norm_first=True, activation="gelu")
        self.layers = nn.TransformerEncoder(layer, 2, norm=nn.LayerNorm(32), enable_nested_tensor=False)
        self.out = nn.Linear(32, 3)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.out(self.layers(self.words(tokens) + self.places.weight).amax(dim=1))


def _train(setting: Setting) -> None:
    tokens, word = commands(2000)
    net = Encoder()
    optimizer = torch.optim.AdamW(net.parameters(), lr=2e-3)
    with setting.watch(net):
        for _ in range(90):
            chosen = torch.randint(2000, (4, 12))
            for part in chosen:
                loss = nn.functional.cross_entropy(net(tokens[part]), word[part]) / 4
                loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()


PROGRAM = Program(name="four-micro-batches-clipped", train=_train, source="Hugging Face guide, gradient accumulation")
