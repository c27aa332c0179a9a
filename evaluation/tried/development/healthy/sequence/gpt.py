"""A decoder with pre-norm, dropout, a causal mask of minus infinity, and the embedding tied to the head."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.shapes_and_sentences import WORDS, words


class _CausalSelfAttention(nn.Module):
    def __init__(self, width: int, heads: int, length: int) -> None:
        super().__init__()
        self.heads = heads
        self.c_attn = nn.Linear(width, 3 * width)
        self.c_proj = nn.Linear(width, width)
        self.attn_dropout = nn.Dropout(0.1)
        self.register_buffer("mask", torch.tril(torch.ones(length, length)).bool())

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        q, k, v = (part.view(batch, length, self.heads, -1).transpose(1, 2) for part in self.c_attn(x).split(width, dim=2))
        scores = q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1])
        mask = self.get_buffer("mask")[:length, :length]
        weights = self.attn_dropout(torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1))
        return self.c_proj((weights @ v).transpose(1, 2).reshape(batch, length, width))


class _Block(nn.Module):
    def __init__(self, width: int, heads: int, length: int) -> None:
        super().__init__()
        self.ln_1 = nn.LayerNorm(width)
        self.attn = _CausalSelfAttention(width, heads, length)
        self.ln_2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width), nn.Dropout(0.1))

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class _GPT(nn.Module):
    def __init__(self, vocabulary: int, width: int = 32, length: int = 16) -> None:
        super().__init__()
        self.wte = nn.Embedding(vocabulary, width)
        self.wpe = nn.Embedding(length, width)
        self.blocks = nn.Sequential(*[_Block(width, 4, length) for _ in range(2)])
        self.ln_f = nn.LayerNorm(width)
        self.lm_head = nn.Linear(width, vocabulary, bias=False)
        nn.init.normal_(self.wte.weight, std=0.02)
        nn.init.normal_(self.wpe.weight, std=0.02)
        self.lm_head.weight = self.wte.weight

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.wte(tokens) + self.wpe(torch.arange(tokens.shape[1]))
        return self.lm_head(self.ln_f(self.blocks(x)))


def _train(setting: Setting) -> None:
    text = words(20_000)
    model = _GPT(len(WORDS))
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=0.1, betas=(0.9, 0.95))
    with setting.watch(model):
        for _ in range(600):
            start = torch.randint(len(text) - 17, (16,))
            batch = torch.stack([text[i : i + 17] for i in start.tolist()])
            logits = model(batch[:, :-1])
            loss = nn.functional.cross_entropy(logits.reshape(-1, len(WORDS)), batch[:, 1:].reshape(-1))
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()


PROGRAM = Program(name="gpt", train=_train, source="Radford et al. 2019, written as in nanoGPT")
