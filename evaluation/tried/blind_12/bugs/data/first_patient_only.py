"""Each iteration makes a new iterator of an unshuffled loader and takes its first batch: the others are never seen."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.everyday import outlines
from evaluation.program import Program, Setting, Truth


class Fcn(nn.Module):
    def __init__(self, width: int = 12) -> None:
        super().__init__()
        self.down = nn.Sequential(nn.Conv2d(1, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU())
        self.middle = nn.Sequential(nn.Conv2d(width, width, 3, padding=2, dilation=2), nn.BatchNorm2d(width), nn.ReLU())
        self.out = nn.Conv2d(width, 1, 1)

    def forward(self, patch: Tensor) -> Tensor:
        return self.out(self.middle(self.down(patch)))[:, 0]


def _train(setting: Setting) -> None:
    patches, masks = outlines(480)
    loader = DataLoader(TensorDataset(patches, masks), batch_size=16, shuffle=setting.is_fixed)
    model = Fcn()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    criterion = nn.BCEWithLogitsLoss()
    with setting.watch(model):
        for iteration in range(120):
            patch, mask = next(iter(loader))
            optimizer.zero_grad()
            loss = criterion(model(patch), mask)
            loss.backward()
            optimizer.step()
            if iteration % 20 == 0:
                print(f"iteration {iteration}: {loss.item():.4f}")


PROGRAM = Program(
    name="first-patient-only",
    train=_train,
    source="https://github.com/leohsuofnthu/Pytorch-IterativeFCN/issues/7",
    truth=Truth(rules=("repeated-batch", "batches-not-shuffled"), nodes=("model: input patch", "binary_cross_entropy_with_logits: target")),
)
