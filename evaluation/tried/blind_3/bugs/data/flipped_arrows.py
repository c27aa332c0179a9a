"""Random horizontal flips augment pictures of arrows that point to the left or to the right."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset

from evaluation.program import Program, Setting, Truth


class Arrows(Dataset[tuple[Tensor, int]]):
    def __init__(self, count: int, flips: bool) -> None:
        head = torch.zeros(9, 9)
        for row in range(9):
            head[row, abs(row - 4)] = 1.0
        head[4] = 1.0
        self.labels = torch.randint(2, (count,)).tolist()
        self.pictures = [(head if label else head.flip(1)) + 0.6 * torch.randn(9, 9) for label in self.labels]
        self.flips = flips

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, index: int) -> tuple[Tensor, int]:
        picture = self.pictures[index].roll(int(torch.randint(-1, 2, ())), 0)
        if self.flips and torch.rand(()) < 0.5:
            picture = picture.flip(1)
        return picture[None], self.labels[index]


def _train(setting: Setting) -> None:
    loader = DataLoader(Arrows(800, flips=not setting.is_fixed), batch_size=32, shuffle=True, drop_last=True)
    net = nn.Sequential(nn.Conv2d(1, 12, 3), nn.ReLU(), nn.Flatten(), nn.Linear(588, 32), nn.ReLU(), nn.Dropout(0.3), nn.Linear(32, 2))
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    with setting.watch(net):
        for _ in range(8):
            for pictures, labels in loader:
                loss = nn.functional.cross_entropy(net(pictures), labels)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


PROGRAM = Program(
    name="flipped-arrows",
    train=_train,
    source="Shorten and Khoshgoftaar 2019 (augmentations that change the label)",
    truth=Truth(rules=("loss-does-not-fall", "predictions-ignore-input")),
)
