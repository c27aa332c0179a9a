"""Sentences of different lengths: padding is masked in attention and in the mean over tokens."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting
from evaluation.worlds import padded


class Reader(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.tokens = nn.Embedding(13, 32, padding_idx=0)
        self.places = nn.Parameter(0.2 * torch.randn(18, 32))
        self.attention = nn.MultiheadAttention(32, 4, dropout=0.1, batch_first=True)
        self.norm = nn.LayerNorm(32)
        self.out = nn.Sequential(nn.Linear(32, 32), nn.GELU(), nn.Dropout(0.1), nn.Linear(32, 3))

    def forward(self, tokens: Tensor) -> Tensor:
        is_padding = tokens == 0
        x = self.tokens(tokens) + self.places
        mixed, _ = self.attention(x, x, x, key_padding_mask=is_padding, need_weights=False)
        x = self.norm(x + mixed).masked_fill(is_padding[..., None], 0.0)
        return self.out(x.sum(dim=1) / (~is_padding).sum(dim=1, keepdim=True))


def _train(setting: Setting) -> None:
    text = padded(1800)
    model = Reader()
    optimizer = torch.optim.NAdam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for epoch in range(7):
            model.train()
            for tokens, labels in batches(35, 45, text.tokens[:1600], text.labels[:1600]):
                optimizer.zero_grad()
                nn.functional.cross_entropy(model(tokens), labels).backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                print(epoch, nn.functional.cross_entropy(model(text.tokens[1600:]), text.labels[1600:]).item())


PROGRAM = Program(name="pooled-attention-over-padding", train=_train, source="PyTorch tutorial, key_padding_mask; sentence encoders")
