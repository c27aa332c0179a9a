"""Spoken commands as tokens, by a transformer encoder with a class token."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.series_and_tables import commands


class TokenEncoder(nn.Module):
    def __init__(self, vocab: int, length: int, width: int = 32) -> None:
        super().__init__()
        self.tokens = nn.Embedding(vocab, width)
        self.places = nn.Parameter(0.1 * torch.randn(length + 1, width))
        self.cls = nn.Parameter(0.1 * torch.randn(1, 1, width))
        layer = nn.TransformerEncoderLayer(width, 4, 64, dropout=0.0, activation="gelu", batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, norm=nn.LayerNorm(width), enable_nested_tensor=False)
        self.classify = nn.Linear(width, 3)

    def forward(self, tokens: Tensor) -> Tensor:
        x = torch.cat([self.cls.expand(len(tokens), -1, -1), self.tokens(tokens)], dim=1) + self.places
        return self.classify(self.encoder(x)[:, 0])


def _train(setting: Setting) -> None:
    tokens, words = commands(1600)
    model = TokenEncoder(30, 10)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    warmup = torch.optim.lr_scheduler.LinearLR(optimizer, 0.1, 1.0, total_iters=20)
    with setting.watch(model):
        for epoch in range(6):
            model.train()
            for rows in torch.randperm(1400).split(40):
                loss = nn.functional.cross_entropy(model(tokens[rows]), words[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                warmup.step()
            model.eval()
            with torch.no_grad():
                accuracy = (model(tokens[1400:]).argmax(1) == words[1400:]).float().mean().item()
            print(f"epoch {epoch}: {loss.item():.4f}, accuracy {accuracy:.3f}")


PROGRAM = Program(name="commands-by-an-encoder", train=_train, source="Devlin et al. 2019; Vaswani et al. 2017")
