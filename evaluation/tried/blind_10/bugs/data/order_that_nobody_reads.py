"""A loader draws a new order after every epoch, but takes its batches from the files as they lie on the disk: class by class."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import tones


class Loader:
    def __init__(self, sounds: Tensor, labels: Tensor, size: int, use_order: bool) -> None:
        self.sounds, self.labels = sounds, labels
        self.size = size
        self.use_order = use_order
        self.on_epoch_end()

    def on_epoch_end(self) -> None:
        self.order = torch.randperm(len(self.labels))

    def __len__(self) -> int:
        return len(self.labels) // self.size

    def __getitem__(self, batch: int) -> tuple[Tensor, Tensor]:
        start = batch * self.size
        rows = torch.arange(start, start + self.size)
        if self.use_order:
            rows = self.order[rows]
        return self.sounds[rows], self.labels[rows]

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        yield from (self[batch] for batch in range(len(self)))
        self.on_epoch_end()


def _train(setting: Setting) -> None:
    sounds, labels = tones(1280)
    by_folder = labels.argsort()
    loader = Loader(sounds[by_folder], labels[by_folder], 32, use_order=setting.is_fixed)
    net = nn.Sequential(
        nn.Conv1d(1, 16, 9, stride=2), nn.ReLU(), nn.Conv1d(16, 16, 7, stride=2), nn.ReLU(), nn.Flatten(), nn.Linear(176, 4)
    )
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    with setting.watch(net):
        for epoch in range(4):
            for sound, label in loader:
                loss = nn.functional.cross_entropy(net(sound), label)
                optimizer.zero_grad(set_to_none=True)
                loss.backward()
                optimizer.step()
            with torch.no_grad():
                print(f"epoch {epoch}: {(net(sounds).argmax(1) == labels).float().mean():.2f} right")


PROGRAM = Program(
    name="order-that-nobody-reads",
    train=_train,
    source="GitHub issues on loaders that shuffle indices and never use them",
    truth=Truth(
        rules=("batches-not-shuffled", "oscillating-loss", "loss-does-not-fall", "predictions-ignore-input"),
        nodes=("cross_entropy: target",),
    ),
)
