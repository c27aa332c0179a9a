"""The decoder returns sigmoids, and the loss takes them for logits."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.everyday import outlines
from evaluation.program import Program, Setting, Truth


class UNet3(nn.Module):
    def __init__(self, n: int = 8) -> None:
        super().__init__()
        self.e1 = nn.Sequential(nn.Conv2d(1, n, 3, padding=1), nn.BatchNorm2d(n), nn.ReLU())
        self.e2 = nn.Sequential(nn.Conv2d(n, 2 * n, 3, padding=1), nn.BatchNorm2d(2 * n), nn.ReLU())
        self.fuse = nn.Sequential(nn.Conv2d(3 * n, n, 3, padding=1), nn.BatchNorm2d(n), nn.ReLU())
        self.outconv = nn.Conv2d(n, 1, 3, padding=1)

    def forward(self, inputs: Tensor) -> Tensor:
        h1 = self.e1(inputs)
        h2 = self.e2(nn.functional.max_pool2d(h1, 2))
        h = torch.cat([h1, nn.functional.interpolate(h2, scale_factor=2)], dim=1)
        return self.outconv(self.fuse(h)).squeeze(1)


def _train(setting: Setting) -> None:
    images, masks = outlines(600)
    net = UNet3()
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    criterion = nn.BCEWithLogitsLoss()
    with setting.watch(net):
        for epoch in range(5):
            for rows in torch.randperm(600).split(24):
                d1 = net(images[rows])
                if not setting.is_fixed:
                    d1 = torch.sigmoid(d1)
                loss = criterion(d1, masks[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}, loss {loss.item():.4f}")


PROGRAM = Program(
    name="sigmoid-and-once-more",
    train=_train,
    source="https://github.com/avBuffer/UNet3plus_pth/issues/23",
    truth=Truth(
        rules=("softmax-before-cross-entropy", "target-out-of-range"),
        nodes=(
            "sigmoid",
            "model",
            "model.outconv",
            "model: output",
            "binary_cross_entropy_with_logits",
            "binary_cross_entropy_with_logits: target",
        ),
    ),
)
