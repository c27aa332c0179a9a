"""An encoder-decoder transformer that reverses sequences; gradients are accumulated, and the learning rate restarts after a warm-up."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting

START = 12


class _Reverser(nn.Module):
    def __init__(self, width: int = 32, length: int = 8) -> None:
        super().__init__()
        self.embedding = nn.Embedding(13, width)
        self.position = nn.Parameter(torch.randn(length, width) * 0.1)
        self.transformer = nn.Transformer(width, 4, 1, 1, 64, dropout=0.1, batch_first=True)
        self.generator = nn.Linear(width, 12)

    def forward(self, source: Tensor, before: Tensor) -> Tensor:
        mask = nn.Transformer.generate_square_subsequent_mask(before.shape[1])
        x = self.transformer(self.embedding(source) + self.position, self.embedding(before) + self.position, tgt_mask=mask)
        return self.generator(x)


def _train(setting: Setting) -> None:
    model = _Reverser()
    steps, accumulation, warm_up = 600, 2, 40
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    scheduler = torch.optim.lr_scheduler.SequentialLR(
        optimizer,
        [
            torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.05, total_iters=warm_up),
            torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=140, T_mult=3, eta_min=1e-5),
        ],
        milestones=[warm_up],
    )
    with setting.watch(model):
        for _ in range(steps):
            optimizer.zero_grad()
            for _ in range(accumulation):
                source = torch.randint(12, (16, 8))
                target = source.flip(1)
                before = torch.cat([torch.full((16, 1), START), target[:, :-1]], dim=1)
                loss = nn.functional.cross_entropy(model(source, before).flatten(0, 1), target.flatten()) / accumulation
                loss.backward()
            optimizer.step()
            scheduler.step()


PROGRAM = Program(name="translation-transformer", train=_train, source="Vaswani et al. 2017; restarts of Loshchilov and Hutter 2017")
