"""A detector learns from `1 - IoU` alone. Its first boxes meet no target, and there the loss is flat."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.shapes_and_sentences import shapes


def overlap(boxes: Tensor, others: Tensor) -> Tensor:
    """Boxes are `[N, 4]`: the upper left corner, and width and height."""
    upper = torch.maximum(boxes[:, :2], others[:, :2])
    lower = torch.minimum(boxes[:, :2] + boxes[:, 2:], others[:, :2] + others[:, 2:])
    both = (lower - upper).clamp(min=0).prod(dim=1)
    return both / (boxes[:, 2:].prod(dim=1) + others[:, 2:].prod(dim=1) - both)


def _train(setting: Setting) -> None:
    data = shapes(700, size=12, noise=0.2)
    # In pixels, as the annotations have them.
    targets = torch.cat([(data.centers + 1) * 6 - 2 + 30, torch.full((700, 2), 4.0)], dim=1)
    features = nn.Sequential(nn.Conv2d(1, 12, 3, stride=2, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(432, 48), nn.ReLU())
    net = nn.Sequential(features, nn.Linear(48, 4))
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    with setting.watch(net):
        for images, wanted in batches(200, 25, data.images, targets):
            raw = net(images)
            boxes = torch.cat([raw[:, :2], nn.functional.softplus(raw[:, 2:]) + 1], dim=1)
            loss = (1 - overlap(boxes, wanted)).mean()
            if setting.is_fixed:
                loss = loss + nn.functional.smooth_l1_loss(boxes, wanted)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="boxes-that-never-meet",
    train=_train,
    source="Rezatofighi et al. 2019 (generalized IoU): IoU has no gradient for boxes that do not overlap",
    truth=Truth(
        rules=("zero-gradient", "loss-does-not-fall", "never-updated", "no-gradient"),
        nodes=("model", "model: output", *(f"model.{i}{name}" for i in ("0.0", "0.3", "1") for name in ("", ".weight", ": output"))),
    ),
)
