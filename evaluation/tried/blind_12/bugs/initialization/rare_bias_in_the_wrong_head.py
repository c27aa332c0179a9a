"""The bias for rare objects is given to the head that measures sizes, not to the one that finds objects."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from evaluation.everyday import outlines
from evaluation.program import Program, Setting, Truth


class Detector(nn.Module):
    def __init__(self, pos_bias: float, reg_bias: float) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(16, 16, 3, padding=2, dilation=2),
            nn.ReLU(),
            nn.Conv2d(16, 16, 3, padding=4, dilation=4),
            nn.ReLU(),
        )
        self.pos_conv = nn.Conv2d(16, 1, 1)
        self.reg_conv = nn.Conv2d(16, 1, 1)
        assert self.pos_conv.bias is not None
        assert self.reg_conv.bias is not None
        nn.init.constant_(self.pos_conv.bias, pos_bias)
        nn.init.constant_(self.reg_conv.bias, reg_bias)

    def forward(self, image: Tensor) -> tuple[Tensor, Tensor]:
        features = self.body(image)
        return self.pos_conv(features)[:, 0], self.reg_conv(features)[:, 0]


def _train(setting: Setting) -> None:
    images, masks = outlines(600)
    shares = masks.mean(dim=(1, 2))
    heights = (shares - shares.mean()) / shares.std()
    prior = -math.log(0.99 / 0.01)
    model = Detector(prior, 0.0) if setting.is_fixed else Detector(0.0, prior)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for epoch in range(5):
            for rows in torch.randperm(600).split(20):
                pos, reg = model(images[rows])
                inside = masks[rows]
                find = nn.functional.binary_cross_entropy_with_logits(pos, inside)
                measure = (inside * (reg - heights[rows][:, None, None]) ** 2).sum() / inside.sum()
                loss = find + measure
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: find {find.item():.3f}, measure {measure.item():.3f}")


PROGRAM = Program(
    name="rare-bias-in-the-wrong-head",
    train=_train,
    source="https://github.com/lwpyr/CSP-pedestrian-detection-in-pytorch/issues/4",
    truth=Truth(rules=("initial-loss",), nodes=("model.reg_conv", "model.pos_conv")),
)
