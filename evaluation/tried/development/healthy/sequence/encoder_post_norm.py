"""A transformer encoder with post-norm, no dropout and padded sequences, which counts two kinds of tokens."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting

PAD = 0


class _Encoder(nn.Module):
    def __init__(self, tokens: int, width: int = 32, length: int = 12) -> None:
        super().__init__()
        self.width = width
        self.embedding = nn.Embedding(tokens, width, padding_idx=PAD)
        position = torch.arange(length)[:, None] / 10000 ** (torch.arange(0, width, 2) / width)
        self.register_buffer("position", torch.stack([position.sin(), position.cos()], dim=-1).flatten(1))
        layer = nn.TransformerEncoderLayer(width, 4, 64, dropout=0.0, batch_first=True)
        self.layers = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.classify = nn.Linear(width, 2)

    def forward(self, tokens: Tensor) -> Tensor:
        is_pad = tokens == PAD
        x = self.embedding(tokens) * math.sqrt(self.width) + self.get_buffer("position")
        x = self.layers(x, src_key_padding_mask=is_pad)
        x = x.masked_fill(is_pad[..., None], 0).sum(1) / (~is_pad).sum(1, keepdim=True)
        return self.classify(x)


def _train(setting: Setting) -> None:
    model = _Encoder(10)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-4)
    with setting.watch(model):
        for _ in range(700):
            tokens = torch.randint(1, 10, (32, 12))
            tokens[torch.arange(12) >= torch.randint(5, 13, (32, 1))] = PAD
            has_more = ((tokens == 1) | (tokens == 2)).sum(1) > ((tokens == 8) | (tokens == 9)).sum(1)
            loss = nn.functional.cross_entropy(model(tokens), has_more.long())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="encoder-post-norm", train=_train, source="Vaswani et al. 2017, with nn.TransformerEncoder")
