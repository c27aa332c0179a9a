"""The batches have two pictures of one pixel each behind the pooling, and a batch normalization follows."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.everyday import photos
from evaluation.program import Program, Setting, Truth


class CropNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.backbone = nn.Sequential(
            nn.Conv2d(3, 16, 3, stride=2, padding=1), nn.ReLU(), nn.Conv2d(16, 32, 3, stride=2, padding=1), nn.ReLU()
        )
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Sequential(nn.Linear(32, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 4))

    def forward(self, image: Tensor) -> Tensor:
        return self.fc(self.pool(self.backbone(image)).flatten(1))


def _train(setting: Setting) -> None:
    pixels, labels = photos(600)
    images = pixels / 64 - 2
    net = CropNet()
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    with setting.watch(net):
        for check in range(5):
            net.train()
            for _ in range(40):
                rows = torch.randint(0, 500, (32 if setting.is_fixed else 2,))
                loss = nn.functional.cross_entropy(net(images[rows]), labels[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            net.eval()
            with torch.no_grad():
                valid = nn.functional.cross_entropy(net(images[500:]), labels[500:])
            print(f"check {check}: train {loss.item():.3f}, valid {valid.item():.3f}")


PROGRAM = Program(
    name="normalized-over-two-photos",
    train=_train,
    source="https://github.com/HuiZeng/Grid-Anchor-based-Image-Cropping-Pytorch/issues/2",
    truth=Truth(rules=("small-batch-norm",), nodes=("model.fc.1", "model.fc")),
)
