"""Patches of scans are marked voxel by voxel, and the loop counts iterations instead of epochs."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.everyday import outlines
from evaluation.program import Program, Setting, Truth


class IterativeFCN(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.entry = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU())
        self.middle = nn.Sequential(nn.Conv2d(16, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU())
        self.exit = nn.Conv2d(16, 1, 1)

    def forward(self, patch: Tensor) -> Tensor:
        return self.exit(self.middle(self.entry(patch))).squeeze(1)


def _train(setting: Setting) -> None:
    scans, masks = outlines(480)
    train_loader = DataLoader(TensorDataset(scans - 0.4, masks), batch_size=12, shuffle=setting.is_fixed)
    model = IterativeFCN()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for iteration in range(160):
            patch, mask = next(iter(train_loader))
            loss = nn.functional.binary_cross_entropy_with_logits(model(patch), mask)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if iteration % 40 == 39:
                print(f"iteration {iteration}: {loss.item():.4f}")


PROGRAM = Program(
    name="vertebrae-patch-by-patch",
    train=_train,
    source="https://github.com/leohsuofnthu/Pytorch-IterativeFCN/issues/7",
    truth=Truth(
        rules=("repeated-batch",),
        nodes=(
            "model: input",
            "model: input patch",
            "model.entry: input",
            "model.entry.0: input",
            "binary_cross_entropy_with_logits: target",
            "binary_cross_entropy_with_logits",
        ),
    ),
)
