"""Clouds of points have a label, and each point belongs to a part. Both are learned with a loss of their own."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class PointNetSeg(nn.Module):
    def __init__(self, is_fixed: bool) -> None:
        super().__init__()
        self.is_fixed = is_fixed
        self.points = nn.Sequential(nn.Linear(3, 32), nn.ReLU(), nn.Linear(32, 64), nn.ReLU())
        self.part = nn.Linear(128, 2)
        self.label = nn.Linear(64, 3)

    def forward(self, cloud: Tensor) -> tuple[Tensor, Tensor]:
        local = self.points(cloud)
        whole = local.amax(dim=1)
        parts = self.part(torch.cat([local, whole[:, None].expand_as(local)], dim=2)).log_softmax(dim=2)
        labels = self.label(whole)
        return parts, labels.log_softmax(dim=1) if self.is_fixed else labels


def _clouds(count: int) -> tuple[Tensor, Tensor, Tensor]:
    labels = torch.randint(0, 3, (count,))
    stretch = torch.tensor([[2.0, 0.5, 0.5], [0.5, 2.0, 0.5], [1.2, 1.2, 0.3]])
    clouds = torch.randn(count, 24, 3) * stretch[labels][:, None]
    return clouds, (clouds.sum(dim=2) > 0).long(), labels


def _train(setting: Setting) -> None:
    clouds, parts, labels = _clouds(900)
    model = PointNetSeg(setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for epoch in range(5):
            for rows in torch.randperm(900).split(30):
                parts_pred, labels_pred = model(clouds[rows])
                seg_loss = nn.functional.nll_loss(parts_pred.flatten(0, 1), parts[rows].flatten())
                label_loss = nn.functional.nll_loss(labels_pred, labels[rows])
                loss = 0.5 * seg_loss + 0.5 * label_loss
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: parts {seg_loss.item():.4f}, labels {label_loss.item():.4f}")


PROGRAM = Program(
    name="clouds-with-parts-and-labels",
    train=_train,
    source="https://github.com/yanx27/Pointnet_Pointnet2_pytorch/issues/30",
    truth=Truth(
        rules=("nll-without-log-softmax", "negative-loss", "logit-growth", "runaway-growth"),
        nodes=("nll_loss (2)", "model.label", "model: output[1]", "mul (2)", "add"),
    ),
)
