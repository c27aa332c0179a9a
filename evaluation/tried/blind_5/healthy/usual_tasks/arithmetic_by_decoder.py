"""A small causal transformer with tied embeddings continues sequences that count up by a hidden stride."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class _Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.attention = nn.MultiheadAttention(width, 4, batch_first=True)
        self.norm2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        y = self.norm1(x)
        x = x + self.attention(y, y, y, attn_mask=mask, need_weights=False)[0]
        return x + self.mlp(self.norm2(x))


class _Decoder(nn.Module):
    def __init__(self, tokens: int, length: int, width: int = 32) -> None:
        super().__init__()
        self.token = nn.Embedding(tokens, width)
        self.place = nn.Embedding(length, width)
        self.blocks = nn.ModuleList(_Block(width) for _ in range(2))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, tokens, bias=False)
        nn.init.normal_(self.token.weight, std=0.1)
        nn.init.normal_(self.place.weight, std=0.1)
        self.head.weight = self.token.weight

    def forward(self, tokens: Tensor) -> Tensor:
        length = tokens.shape[1]
        mask = torch.ones(length, length, dtype=torch.bool).triu(1)
        x = self.token(tokens) + self.place(torch.arange(length))
        for block in self.blocks:
            x = block(x, mask)
        return self.head(self.norm(x))


def _train(setting: Setting) -> None:
    model = _Decoder(17, 9)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.01)
    warm_up = torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.1, total_iters=30)
    with setting.watch(model):
        for step in range(350):
            start, stride = torch.randint(0, 17, (48, 1)), torch.randint(1, 6, (48, 1))
            tokens = (start + stride * torch.arange(10)) % 17
            loss = nn.functional.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            warm_up.step()
            if step % 70 == 69:
                print(step, loss.item())


PROGRAM = Program(name="arithmetic-by-decoder", train=_train, source="Karpathy's nanoGPT; Press and Wolf 2017 on tied embeddings")
