"""A decoder with tied embeddings learns to add. It stays on a plateau until it can carry."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting
from evaluation.worlds import additions


class Decoder(nn.Module):
    def __init__(self, width: int = 48) -> None:
        super().__init__()
        self.tokens = nn.Embedding(12, width)
        self.places = nn.Embedding(8, width)
        layer = nn.TransformerEncoderLayer(width, 4, 96, dropout=0.0, activation="gelu", batch_first=True, norm_first=True)
        self.blocks = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(width)
        self.out = nn.Linear(width, 12, bias=False)
        nn.init.normal_(self.tokens.weight, std=0.05)
        nn.init.normal_(self.places.weight, std=0.05)
        self.out.weight = self.tokens.weight

    def forward(self, tokens: Tensor) -> Tensor:
        steps = tokens.shape[1]
        x = self.tokens(tokens) + self.places(torch.arange(steps))
        mask = torch.full((steps, steps), float("-inf")).triu(1)
        return self.out(self.norm(self.blocks(x, mask=mask, is_causal=True)))


def _train(setting: Setting) -> None:
    sums = additions(4000)
    model = Decoder()
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3, betas=(0.9, 0.98))
    warm_up = torch.optim.lr_scheduler.LinearLR(optimizer, 0.1, total_iters=20)
    with setting.watch(model):
        for (tokens,) in batches(220, 48, sums):
            logits = model(tokens[:, :-1])
            loss = nn.functional.cross_entropy(logits[:, 5:].flatten(0, 1), tokens[:, 6:].flatten())
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            warm_up.step()


PROGRAM = Program(name="sums-as-text", train=_train, source="Nogueira et al. 2021 (arithmetic with transformers); nanoGPT")
