"""A small decoder-only transformer learns letters, with warmup, cosine decay and clipping."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.shapes_and_sentences import LETTERS, letters


class CausalBlock(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.proj = nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.heads = heads

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        split = self.qkv(self.ln1(x)).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        y = nn.functional.scaled_dot_product_attention(split[0], split[1], split[2], is_causal=True)
        x = x + self.proj(y.transpose(1, 2).reshape(batch, length, width))
        return x + self.mlp(self.ln2(x))


class Gpt(nn.Module):
    def __init__(self, vocab: int, width: int = 48, length: int = 32) -> None:
        super().__init__()
        self.wte, self.wpe = nn.Embedding(vocab, width), nn.Embedding(length, width)
        self.blocks = nn.Sequential(*[CausalBlock(width, 4) for _ in range(2)])
        self.ln_f = nn.LayerNorm(width)
        self.lm_head = nn.Linear(width, vocab, bias=False)

    def forward(self, idx: Tensor) -> Tensor:
        x = self.wte(idx) + self.wpe(torch.arange(idx.shape[1]))
        return self.lm_head(self.ln_f(self.blocks(x)))


def _train(setting: Setting) -> None:
    text = letters(12000)
    model = Gpt(len(LETTERS))
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3, betas=(0.9, 0.95), weight_decay=0.1)
    total, warmup = 200, 20
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda it: (it + 1) / warmup if it < warmup else 0.1 + 0.45 * (1 + math.cos(math.pi * (it - warmup) / (total - warmup)))
    )
    with setting.watch(model):
        for it in range(total):
            starts = torch.randint(len(text) - 33, (24,))
            chunk = torch.stack([text[start : start + 33] for start in starts.tolist()])
            logits = model(chunk[:, :-1])
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), chunk[:, 1:].flatten())
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            if it % 25 == 0:
                print(f"iter {it}: loss {loss.item():.4f}")


PROGRAM = Program(name="letters-by-a-small-gpt", train=_train, source="Karpathy, nanoGPT")
