"""The models that are watched: a small perceptron, residual networks for images of 32 x 32, and a long chain of layers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

__all__ = ["ModelName", "WatchedTraining"]

ModelName = Literal["MLP", "small ResNet", "ResNet-18", "300 layers"]

_CLASSES = 10


class _Block(nn.Module):
    """Two convolutions, added to what came in."""

    def __init__(self, channels: int, out_channels: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, out_channels, 3, stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(out_channels)
        self.relu1 = nn.ReLU()
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(out_channels)
        self.relu2 = nn.ReLU()
        self.shortcut: nn.Module | None = None
        if stride != 1 or channels != out_channels:
            self.shortcut = nn.Sequential(nn.Conv2d(channels, out_channels, 1, stride, bias=False), nn.BatchNorm2d(out_channels))

    def forward(self, x: Tensor) -> Tensor:
        out = self.bn2(self.conv2(self.relu1(self.bn1(self.conv1(x)))))
        result: Tensor = self.relu2(out + (x if self.shortcut is None else self.shortcut(x)))
        return result


class _ResNet(nn.Module):
    """Blocks of some widths, two of each; the first of a width but the first halves the image."""

    def __init__(self, widths: Sequence[int], stem: nn.Sequential) -> None:
        super().__init__()
        self.stem = stem
        pairs = zip((widths[0], *widths), widths, strict=False)
        blocks = [
            block
            for index, (before, width) in enumerate(pairs)
            for block in (_Block(before, width, 1 if index == 0 else 2), _Block(width, width, 1))
        ]
        self.blocks = nn.Sequential(*blocks)
        self.classifier = nn.Linear(widths[-1], _CLASSES)

    def forward(self, x: Tensor) -> Tensor:
        logits: Tensor = self.classifier(self.blocks(self.stem(x)).mean(dim=(2, 3)))
        return logits


def _small_resnet() -> nn.Module:
    """55 modules."""
    return _ResNet((16, 32, 64), nn.Sequential(nn.Conv2d(3, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU()))


def _resnet_18() -> nn.Module:
    stem = nn.Sequential(nn.Conv2d(3, 64, 7, 2, padding=3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, padding=1))
    return _ResNet((64, 128, 256, 512), stem)


def _mlp() -> nn.Module:
    """9 modules."""
    widths = (64, 128, 128, 128, _CLASSES)
    layers = [layer for inner, outer in pairwise(widths) for layer in (nn.Linear(inner, outer), nn.ReLU())]
    return nn.Sequential(*layers)


def _layers() -> nn.Module:
    """300 modules within one."""
    return nn.Sequential(*(nn.Linear(16, 16) for _ in range(299)), nn.Linear(16, _CLASSES))


_MODELS: dict[ModelName, tuple[Callable[[], nn.Module], tuple[int, ...]]] = {
    "MLP": (_mlp, (64, 64)),
    "small ResNet": (_small_resnet, (32, 3, 32, 32)),
    "ResNet-18": (_resnet_18, (5, 3, 32, 32)),
    "300 layers": (_layers, (8, 16)),
}
"""What makes a model, and the shape of its input."""


class WatchedTraining:
    """A model in training: the same weights and data every time it is made."""

    def __init__(self, name: ModelName) -> None:
        make, shape = _MODELS[name]
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            self.model = make()
            self._inputs = torch.randn(shape)
            self._target = torch.randint(_CLASSES, shape[:1])
        self._optimizer = torch.optim.SGD(self.model.parameters(), lr=1e-3)

    def train_once(self) -> None:
        """Train on one batch, as a script does that knows nothing of being watched."""
        self._optimizer.zero_grad()
        functional.cross_entropy(self.model(self._inputs), self._target).backward()
        self._optimizer.step()
