"""The output layer is the table of the embedding, and the rate is warmed up."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.everyday import phrases
from evaluation.program import Program, Setting


class Tied(nn.Module):
    def __init__(self, vocabulary: int, width: int = 48, length: int = 15) -> None:
        super().__init__()
        self.table = nn.Embedding(vocabulary, width)
        nn.init.normal_(self.table.weight, std=0.05)
        self.place = nn.Parameter(0.05 * torch.randn(length, width))
        layer = nn.TransformerEncoderLayer(width, 4, 96, dropout=0.0, batch_first=True, norm_first=True)
        self.blocks = nn.TransformerEncoder(layer, 2, nn.LayerNorm(width), enable_nested_tensor=False)
        self.logits = nn.Linear(width, vocabulary, bias=False)
        self.logits.weight = self.table.weight

    def forward(self, tokens: Tensor) -> Tensor:
        mask = nn.Transformer.generate_square_subsequent_mask(tokens.shape[1])
        return self.logits(self.blocks(self.table(tokens) + self.place, mask=mask, is_causal=True))


def _train(setting: Setting) -> None:
    text = phrases(1600)
    model = Tied(24)
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3, betas=(0.9, 0.98))
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min((step + 1) / 40, (40 / (step + 1)) ** 0.5))
    with setting.watch(model):
        for epoch in range(4):
            for rows in torch.randperm(1600).split(40):
                logits = model(text[rows, :-1])
                loss = nn.functional.cross_entropy(logits.flatten(0, 1), text[rows, 1:].flatten())
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                scheduler.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(name="words-in-and-out-by-one-table", train=_train, source="Press and Wolf 2017, the output embedding")
