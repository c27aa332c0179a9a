"""The last layer has a ReLU before a loss with logits: no pixel can be called background with more than even odds."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.everyday import outlines
from evaluation.program import Program, Setting, Truth


class TransFuse(nn.Module):
    def __init__(self, last: nn.Module) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(1, 12, 3, padding=1), nn.GELU(), nn.Conv2d(12, 24, 3, padding=1), nn.GELU())
        self.mix = nn.TransformerEncoderLayer(24, 2, 48, dropout=0.0, batch_first=True)
        self.final = nn.Sequential(nn.Conv2d(24, 1, 1), last)

    def forward(self, x: Tensor) -> Tensor:
        h = self.stem(x)
        tokens = nn.functional.avg_pool2d(h, 4).flatten(2).transpose(1, 2)
        mixed = self.mix(tokens).transpose(1, 2).reshape(len(x), 24, 4, 4)
        return self.final(h + nn.functional.interpolate(mixed, scale_factor=4))[:, 0]


def _train(setting: Setting) -> None:
    images, masks = outlines(400)
    model = TransFuse(nn.Identity() if setting.is_fixed else nn.ReLU())
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for epoch in range(5):
            for rows in torch.randperm(400).split(16):
                loss = nn.functional.binary_cross_entropy_with_logits(model(images[rows]), masks[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="logits-that-cannot-be-negative",
    train=_train,
    source="http://www.dtcms.com/a/394596.html",
    truth=Truth(
        rules=(
            "target-out-of-range",
            "dead-relu",
            "predictions-ignore-input",
            "loss-does-not-fall",
            "same-for-all-samples",
            "zero-gradient",
        ),
        nodes=("model.final", "model: output", "binary_cross_entropy_with_logits", "binary_cross_entropy_with_logits: target"),
    ),
)
