"""Seasons of a series by convolutions that see further and further, with matrix products in bfloat16."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.everyday import tunes
from evaluation.program import Program, Setting


class Dilated(nn.Module):
    def __init__(self, classes: int) -> None:
        super().__init__()
        self.enter = nn.Conv1d(1, 24, 3, padding=1)
        self.layers = nn.ModuleList(nn.Conv1d(24, 24, 3, padding=rate, dilation=rate) for rate in (1, 2, 4))
        self.norms = nn.ModuleList(nn.GroupNorm(4, 24) for _ in range(3))
        self.out = nn.Linear(24, classes)

    def forward(self, waves: Tensor) -> Tensor:
        x = self.enter(waves[:, None])
        for layer, norm in zip(self.layers, self.norms, strict=True):
            x = x + nn.functional.silu(norm(layer(x)))
        return self.out(x.mean(dim=2))


def _train(setting: Setting) -> None:
    waves, labels = tunes(1200)
    model = Dilated(4)
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for epoch in range(5):
            for rows in torch.randperm(1200).split(48):
                with torch.autocast("cpu", dtype=torch.bfloat16):
                    loss = nn.functional.cross_entropy(model(waves[rows]), labels[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(name="seasons-in-half-the-bits", train=_train, source="PyTorch documentation, autocast on a processor")
