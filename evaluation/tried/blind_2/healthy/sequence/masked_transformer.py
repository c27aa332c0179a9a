"""A transformer encoder with a padding mask and warm-up finds the largest number of a list."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class ListReader(nn.Module):
    def __init__(self, width: int = 32) -> None:
        super().__init__()
        self.numbers = nn.Embedding(17, width, padding_idx=0)
        layer = nn.TransformerEncoderLayer(width, 4, 64, dropout=0.05, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.query = nn.Parameter(torch.randn(1, 1, width) * 0.02)
        self.out = nn.Linear(width, 17)

    def forward(self, tokens: Tensor) -> Tensor:
        first = self.query.expand(len(tokens), -1, -1)
        x = torch.cat([first, self.numbers(tokens)], dim=1)
        padding = torch.cat([torch.zeros(len(tokens), 1, dtype=torch.bool), tokens == 0], dim=1)
        return self.out(self.encoder(x, src_key_padding_mask=padding)[:, 0])


def _train(setting: Setting) -> None:
    model = ListReader()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.01)
    warm_up = torch.optim.lr_scheduler.LinearLR(optimizer, 0.05, 1.0, total_iters=30)
    decay = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=220)
    scheduler = torch.optim.lr_scheduler.SequentialLR(optimizer, [warm_up, decay], milestones=[30])
    with setting.watch(model):
        for step in range(250):
            lengths = torch.randint(2, 9, (48, 1))
            tokens = torch.randint(1, 17, (48, 8)).masked_fill(torch.arange(8) >= lengths, 0)
            loss = nn.functional.cross_entropy(model(tokens), tokens.amax(dim=1), label_smoothing=0.02)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            scheduler.step()
            if step % 50 == 0:
                print(step, round(loss.item(), 3))


PROGRAM = Program(name="masked-transformer", train=_train, source="Vaswani et al. 2017, padding mask, pre-norm")
