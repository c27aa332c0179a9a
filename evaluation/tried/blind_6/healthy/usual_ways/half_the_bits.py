"""Mixed precision on the processor: autocast to bfloat16, weights in float32."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.datasets import batches, digits
from evaluation.program import Program, Setting


class Residual(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.BatchNorm2d(12)
        self.conv = nn.Conv2d(12, 12, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.conv(torch.relu(self.norm(x)))


def _train(setting: Setting) -> None:
    images, labels = digits(count=1200)
    images = (images - images.mean()) / images.std()
    model = nn.Sequential(
        nn.Conv2d(1, 12, 3, stride=2), Residual(), Residual(), nn.ReLU(), nn.AdaptiveAvgPool2d(3), nn.Flatten(), nn.Linear(108, 6)
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
    with setting.watch(model):
        for x, y in batches(150, 32, images, labels):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"loss {loss.item():.4f}")


PROGRAM = Program(name="half-the-bits", train=_train, source="PyTorch documentation of torch.autocast")
