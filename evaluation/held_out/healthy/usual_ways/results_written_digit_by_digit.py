"""Sums are written digit by digit by a decoder with a causal mask. Only the result counts in the loss."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.worlds import additions


class SumDecoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.tokens, self.places = nn.Embedding(12, 64), nn.Embedding(9, 64)
        layer = nn.TransformerEncoderLayer(64, 4, dim_feedforward=128, dropout=0.0, batch_first=True, norm_first=True)
        self.layers = nn.TransformerEncoder(layer, num_layers=2, enable_nested_tensor=False)
        self.norm, self.out = nn.LayerNorm(64), nn.Linear(64, 12)

    def forward(self, text: Tensor) -> Tensor:
        length = text.shape[1]
        x = self.tokens(text) + self.places(torch.arange(length))
        return self.out(self.norm(self.layers(x, mask=nn.Transformer.generate_square_subsequent_mask(length), is_causal=True)))


def _train(setting: Setting) -> None:
    text = additions(6000)
    model = SumDecoder()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for step in range(200):
            rows = torch.randint(0, 6000, (96,))
            logits = model(text[rows, :-1])[:, -3:]
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), text[rows, -3:].flatten())
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            if step % 40 == 39:
                right = (logits.argmax(dim=2) == text[rows, -3:]).float().mean()
                print(f"{step}: {loss.item():.4f}, right digits {right.item():.3f}")


PROGRAM = Program(name="results-written-digit-by-digit", train=_train, source="Radford et al. 2019, language models")
