"""The Dice loss of a segmentation gets logits: it lacks the sigmoid that turns them into probabilities."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.shapes_and_sentences import shapes


class Segmenter(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.down = nn.Conv2d(1, 12, 3, stride=2, padding=1)
        self.middle = nn.Conv2d(12, 16, 3, padding=1)
        self.up = nn.ConvTranspose2d(16, 12, 2, stride=2)
        self.out = nn.Conv2d(12, 1, 3, padding=1)

    def forward(self, images: Tensor) -> Tensor:
        x = self.middle(self.down(images).relu()).relu()
        return self.out(self.up(x).relu())


def dice_loss(prediction: Tensor, mask: Tensor) -> Tensor:
    both = (prediction * mask).sum(dim=(1, 2, 3))
    return (1 - (2 * both + 1) / (prediction.sum(dim=(1, 2, 3)) + mask.sum(dim=(1, 2, 3)) + 1)).mean()


def _train(setting: Setting) -> None:
    data = shapes(600, size=12)
    net = Segmenter()
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    with setting.watch(net):
        for images, masks in batches(250, 16, data.images, data.masks):
            prediction = net(images)
            if setting.is_fixed:
                prediction = prediction.sigmoid()
            loss = dice_loss(prediction, masks)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="dice-of-logits",
    train=_train,
    source="Kaggle and PyTorch forum, negative Dice loss",
    truth=Truth(
        rules=(
            "negative-loss",
            "runaway-growth",
            "logit-growth",
            "gradient-spike",
            "diverging-loss",
            "oscillating-loss",
            "exploding-gradient",
        ),
        nodes=("model: output", "model.out: output", "model.out", "model.out.weight", "model.out.bias"),
    ),
)
