"""A small language model with causal attention, whose output layer is its table of words."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.shapes_and_sentences import WORDS, words


class Decoder(nn.Module):
    def __init__(self, width: int = 32, length: int = 20) -> None:
        super().__init__()
        self.tokens = nn.Embedding(len(WORDS), width)
        self.places = nn.Embedding(length, width)
        nn.init.normal_(self.tokens.weight, std=0.05)
        nn.init.normal_(self.places.weight, std=0.05)
        layer = nn.TransformerEncoderLayer(width, 4, 64, dropout=0.0, activation="gelu", batch_first=True, norm_first=True)
        self.blocks = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(width)
        self.out = nn.Linear(width, len(WORDS), bias=False)
        self.out.weight = self.tokens.weight

    def forward(self, text: Tensor) -> Tensor:
        length = text.shape[1]
        mask = nn.Transformer.generate_square_subsequent_mask(length)
        x = self.tokens(text) * math.sqrt(32) + self.places(torch.arange(length))
        return self.out(self.norm(self.blocks(x, mask=mask, is_causal=True)))


def _train(setting: Setting) -> None:
    text = words(6000)
    model = Decoder()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, betas=(0.9, 0.95), weight_decay=0.1)
    warmup = torch.optim.lr_scheduler.LinearLR(optimizer, 0.1, 1.0, total_iters=20)
    with setting.watch(model):
        for step in range(110):
            begin = torch.randint(len(text) - 21, (16, 1))
            piece = text[begin + torch.arange(21)]
            scores = model(piece[:, :-1])
            loss = nn.functional.cross_entropy(scores.flatten(0, 1), piece[:, 1:].flatten())
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            warmup.step()
            if step % 22 == 21:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(name="read-and-written-by-one-table", train=_train, source="Press and Wolf 2017, tied embeddings; GPT-2")
