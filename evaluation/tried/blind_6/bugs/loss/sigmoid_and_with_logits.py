"""A U-Net ends with a sigmoid, and its loss takes logits."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class SmallUNet(nn.Module):
    def __init__(self, *, with_sigmoid: bool) -> None:
        super().__init__()
        self.down = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU())
        self.middle = nn.Sequential(nn.Conv2d(8, 16, 3, stride=2, padding=1), nn.ReLU())
        self.up = nn.ConvTranspose2d(16, 8, 2, stride=2)
        self.out = nn.Conv2d(16, 1, 3, padding=1)
        self.with_sigmoid = with_sigmoid
        self.sigmoid = nn.Sigmoid()

    def forward(self, picture: Tensor) -> Tensor:
        wide = self.down(picture)
        logits = self.out(torch.cat([wide, torch.relu(self.up(self.middle(wide)))], dim=1))
        return self.sigmoid(logits) if self.with_sigmoid else logits


def _train(setting: Setting) -> None:
    field = F.interpolate(torch.randn(500, 1, 4, 4), size=16, mode="bilinear")
    masks = (field > 0.2).float()
    pictures = 2 * masks - 0.8 + 0.7 * torch.randn_like(masks)
    model = SmallUNet(with_sigmoid=not setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for x, y in batches(150, 16, pictures, masks):
            loss = F.binary_cross_entropy_with_logits(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"loss {loss.item():.3f}")


PROGRAM = Program(
    name="sigmoid-and-with-logits",
    train=_train,
    source="PyTorch forum, sigmoid with BCEWithLogitsLoss in segmentation",
    truth=Truth(rules=("softmax-before-cross-entropy",), nodes=("model.sigmoid", "model.sigmoid: output")),
)
