"""A masked language model: a fifth of the words are hidden and predicted, and all other positions are ignored by the loss."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting
from evaluation.shapes_and_sentences import WORDS, words


class MaskedModel(nn.Module):
    def __init__(self, vocabulary: int) -> None:
        super().__init__()
        self.tokens = nn.Embedding(vocabulary + 1, 32)
        self.positions = nn.Embedding(14, 32)
        layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.1, activation="gelu", batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(32)
        self.bias = nn.Parameter(torch.zeros(vocabulary))
        nn.init.normal_(self.tokens.weight, std=0.02)
        nn.init.normal_(self.positions.weight, std=0.02)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.tokens(tokens) + self.positions(torch.arange(tokens.shape[1]))
        return self.norm(self.encoder(x)) @ self.tokens.weight[:-1].T + self.bias


def _train(setting: Setting) -> None:
    text = words(14 * 800).view(-1, 14)
    hidden = len(WORDS)
    model = MaskedModel(hidden)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.01)
    warmup = torch.optim.lr_scheduler.LinearLR(optimizer, 0.01, 1.0, total_iters=60)
    with setting.watch(model):
        for (tokens,) in batches(400, 16, text):
            is_hidden = torch.rand(tokens.shape) < 0.2
            logits = model(tokens.masked_fill(is_hidden, hidden))
            targets = tokens.masked_fill(~is_hidden, -100)
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten())
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            warmup.step()


PROGRAM = Program(name="masked-language-model", train=_train, source="Devlin et al. 2019")
