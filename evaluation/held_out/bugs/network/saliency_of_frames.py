"""Where people look: frames of a video are turned into maps, and the validation follows every epoch."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.everyday import outlines
from evaluation.program import Program, Setting, Truth


class SalEMA(nn.Module):
    def __init__(self, is_fixed: bool) -> None:
        super().__init__()
        self.is_fixed = is_fixed
        self.encoder = nn.Conv2d(1, 24, 3, padding=1)
        self.middle = nn.Conv2d(24, 24, 3, padding=1)
        self.decoder = nn.Conv2d(24, 1, 1)

    def forward(self, frame: Tensor) -> Tensor:
        x = torch.relu(self.encoder(frame))
        x = torch.relu(self.middle(x))
        x = nn.functional.dropout2d(x, 0.5, self.training) if self.is_fixed else nn.functional.dropout2d(x, 0.5)
        return self.decoder(x).squeeze(1)


def _train(setting: Setting) -> None:
    frames, maps = outlines(560)
    model = SalEMA(setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    bce = nn.functional.binary_cross_entropy_with_logits
    with setting.watch(model):
        for epoch in range(5):
            model.train()
            for rows in torch.randperm(480).split(16):
                loss = bce(model(frames[rows]), maps[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                validation = bce(model(frames[480:]), maps[480:])
            print(f"epoch {epoch}: training {loss.item():.4f}, validation {validation.item():.4f}")


PROGRAM = Program(
    name="saliency-of-frames",
    train=_train,
    source="https://github.com/Linardos/SalEMA/issues/6",
    truth=Truth(
        rules=("evaluation-in-training-mode",),
        nodes=("dropout2d", "feature_dropout", "model.decoder: input"),
    ),
)
