"""Shards on disk are sorted by class, and a streaming dataset shuffles them with a buffer of eight samples."""

from __future__ import annotations

import random
from collections.abc import Iterator

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, IterableDataset

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import gratings


class Shards(IterableDataset[tuple[Tensor, int]]):
    def __init__(self, images: Tensor, labels: Tensor, buffer: int) -> None:
        super().__init__()
        order = labels.argsort()
        self.samples = list(zip(images[order], labels[order].tolist(), strict=True))
        self.buffer = buffer
        self.random = random.Random(5)

    def __iter__(self) -> Iterator[tuple[Tensor, int]]:
        waiting: list[tuple[Tensor, int]] = []
        for sample in self.samples:
            waiting.append(sample)
            if len(waiting) > self.buffer:
                yield waiting.pop(self.random.randrange(len(waiting)))
        self.random.shuffle(waiting)
        yield from waiting


def _train(setting: Setting) -> None:
    images, labels = gratings(960, noise=0.4)
    dataset = Shards(images, labels, buffer=960 if setting.is_fixed else 8)
    net = nn.Sequential(
        nn.Conv2d(3, 12, 5, stride=2), nn.ReLU(), nn.Conv2d(12, 24, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(24, 4)
    )
    optimizer = torch.optim.Adam(net.parameters(), lr=4e-3)
    with setting.watch(net):
        for epoch in range(6):
            losses = []
            for x, y in DataLoader(dataset, batch_size=32):
                loss = nn.functional.cross_entropy(net(x), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
            with torch.no_grad():
                accuracy = (net(images).argmax(1) == labels).float().mean()
            print(f"epoch {epoch}: {sum(losses) / len(losses):.3f}, accuracy {accuracy.item():.2f}")


PROGRAM = Program(
    name="shuffle-buffer-of-eight",
    train=_train,
    source="Stack Overflow, shuffle buffers that are smaller than a class",
    truth=Truth(rules=("batches-not-shuffled",), nodes=("cross_entropy: target",)),
)
