"""`reduction="sum"` over all pixels of a batch, with a learning rate for the mean."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.shapes_and_sentences import shapes


def conv(inputs: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(inputs, outputs, 3, padding=1), nn.ReLU())


def _train(setting: Setting) -> None:
    pictures = shapes(500, size=14, noise=0.6)
    model = nn.Sequential(conv(1, 12), conv(12, 12), nn.Conv2d(12, 1, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    criterion = nn.BCEWithLogitsLoss(reduction="mean" if setting.is_fixed else "sum")
    with setting.watch(model):
        for epoch in range(6):
            model.train()
            for image, mask in batches(31, 16, pictures.images, pictures.masks):
                loss = criterion(model(image), mask)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                guess = model(pictures.images[:64]) > 0
                inter = (guess & (pictures.masks[:64] > 0)).sum().item()
                union = (guess | (pictures.masks[:64] > 0)).sum().item()
            print(f"epoch {epoch}: IoU {inter / max(union, 1):.3f}")


PROGRAM = Program(
    name="pixels-summed-up",
    train=_train,
    source="PyTorch forum, reduction='sum' and the learning rate",
    truth=Truth(
        rules=("summed-loss", "updates-too-large", "exploding-gradient", "diverging-loss", "dead-relu", "runaway-growth"),
        nodes=("model: output", "model.2: output", "model.0.1: output", "model.1.1: output"),
    ),
)
