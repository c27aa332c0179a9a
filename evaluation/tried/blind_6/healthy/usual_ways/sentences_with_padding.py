"""A transformer classifies sentences of different lengths. Padding is masked."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.datasets import batches
from evaluation.program import Program, Setting


class Classifier(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(32, 32, padding_idx=0)
        self.positions = nn.Parameter(0.02 * torch.randn(14, 32))
        layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.1, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(32)
        self.out = nn.Linear(32, 2)

    def forward(self, tokens: Tensor) -> Tensor:
        is_word = tokens != 0
        h = self.encoder(self.embedding(tokens) + self.positions, src_key_padding_mask=~is_word)
        h = self.norm(h) * is_word[:, :, None]
        return self.out(h.sum(dim=1) / is_word.sum(dim=1, keepdim=True))


def _train(setting: Setting) -> None:
    tokens = torch.randint(1, 32, (2000, 14))
    length = torch.randint(5, 15, (2000, 1))
    tokens = torch.where(torch.arange(14) < length, tokens, 0)
    labels = (((tokens > 0) & (tokens < 16)).sum(dim=1) * 2 > length.squeeze(1)).long()
    model = Classifier()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for x, y in batches(180, 32, tokens, labels):
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"loss {loss.item():.3f}")


PROGRAM = Program(name="sentences-with-padding", train=_train, source="Vaswani et al. 2017")
