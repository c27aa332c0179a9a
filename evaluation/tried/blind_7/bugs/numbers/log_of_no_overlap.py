"""The loss is the negative logarithm of the overlap of two boxes, which is zero for boxes that do not touch."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


def overlap_and_hull(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Areas of the intersection, the union and the smallest box around both. Boxes are `[N, 4]`: left, top, right, bottom."""
    inner = (torch.minimum(a[:, 2:], b[:, 2:]) - torch.maximum(a[:, :2], b[:, :2])).clamp(min=0).prod(dim=1)
    hull = (torch.maximum(a[:, 2:], b[:, 2:]) - torch.minimum(a[:, :2], b[:, :2])).prod(dim=1)
    union = (a[:, 2:] - a[:, :2]).prod(dim=1) + (b[:, 2:] - b[:, :2]).prod(dim=1) - inner
    return inner, union, hull


def log_iou(a: Tensor, b: Tensor) -> Tensor:
    inner, union, _ = overlap_and_hull(a, b)
    return -torch.log(inner / union).mean()


def generalized_iou(a: Tensor, b: Tensor) -> Tensor:
    inner, union, hull = overlap_and_hull(a, b)
    return (1 - inner / union + (hull - union) / hull).mean()


class BoxHead(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(24, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU())
        self.center, self.size = nn.Linear(64, 2), nn.Linear(64, 2)

    def forward(self, features: Tensor) -> Tensor:
        h = self.body(features)
        center, size = self.center(h), nn.functional.softplus(self.size(h) - 1)
        return torch.cat([center - size / 2, center + size / 2], dim=1)


def _train(setting: Setting) -> None:
    center, size = torch.rand(1500, 2) * 4 - 2, 0.2 + 0.4 * torch.rand(1500, 2)
    boxes = torch.cat([center - size / 2, center + size / 2], dim=1)
    features = torch.tanh(boxes @ torch.randn(4, 24)) + 0.02 * torch.randn(1500, 24)
    net = BoxHead()
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    box_loss = generalized_iou if setting.is_fixed else log_iou
    with setting.watch(net):
        for x, box in batches(250, 32, features, boxes):
            loss = box_loss(net(x), box)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="log-of-no-overlap",
    train=_train,
    source="UnitBox (Yu et al. 2016) in code of detectors: -log(IoU) is infinite without an overlap",
    truth=Truth(rules=("nan-origin",), nodes=("log", "div"), step=0),
)
