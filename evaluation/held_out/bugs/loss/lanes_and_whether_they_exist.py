"""Lanes of a street: a head tells which of the lanes exist, and its loss is added to that of the segmentation."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class LaneNet(nn.Module):
    def __init__(self, lanes: int, is_fixed: bool) -> None:
        super().__init__()
        self.is_fixed = is_fixed
        self.backbone = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 16, 3, padding=1), nn.ReLU())
        self.seg = nn.Conv2d(16, 1, 1)
        self.fc9 = nn.Linear(16 * 16, 32)
        self.fc10 = nn.Linear(32, lanes)

    def forward(self, image: Tensor) -> tuple[Tensor, Tensor]:
        h = self.backbone(image)
        x = nn.functional.max_pool2d(h, (12, 1)).flatten(1)
        x = self.fc10(torch.relu(self.fc9(x)))
        return self.seg(h).squeeze(1), x if self.is_fixed else torch.sigmoid(x)


def _streets(count: int) -> tuple[Tensor, Tensor, Tensor]:
    exists = (torch.rand(count, 4) < 0.5).float()
    masks = torch.zeros(count, 12, 16)
    for lane in range(4):
        masks[:, :, 2 + 4 * lane] = exists[:, lane, None]
    return masks[:, None] + 0.5 * torch.randn(count, 1, 12, 16), masks, exists


def _train(setting: Setting) -> None:
    images, masks, exists = _streets(600)
    model = LaneNet(4, setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    bce = nn.BCEWithLogitsLoss()
    with setting.watch(model):
        for epoch in range(5):
            for rows in torch.randperm(600).split(20):
                seg, exist = model(images[rows])
                exist_loss = bce(exist, exists[rows])
                loss = bce(seg, masks[rows]) + 0.5 * exist_loss
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}, of which lanes {exist_loss.item():.4f}")


PROGRAM = Program(
    name="lanes-and-whether-they-exist",
    train=_train,
    source="https://github.com/Turoad/lanedet/issues/32",
    truth=Truth(
        rules=("softmax-before-cross-entropy",),
        nodes=("sigmoid", "binary_cross_entropy_with_logits", "model: output[1]", "model.fc10"),
    ),
)
