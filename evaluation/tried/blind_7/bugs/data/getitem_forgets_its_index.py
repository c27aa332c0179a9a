"""`__getitem__` uses an attribute that nobody changes instead of its argument, so all samples are the first one."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


class Stamps(Dataset[tuple[Tensor, Tensor]]):
    def __init__(self, uses_argument: bool) -> None:
        self.images, self.labels = digits(900)
        self.index = 0
        self.uses_argument = uses_argument

    def __len__(self) -> int:
        return len(self.images)

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        where = index if self.uses_argument else self.index
        image = self.images[where] - 0.5
        return image + 0.05 * torch.randn(1), self.labels[where]


def _train(setting: Setting) -> None:
    loader = DataLoader(Stamps(setting.is_fixed), batch_size=30, shuffle=True)
    cnn = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ELU(), nn.Conv2d(8, 8, 3, stride=2), nn.ELU(), nn.Flatten(), nn.Linear(128, 6))
    optimizer = torch.optim.Adam(cnn.parameters(), lr=2e-3)
    with setting.watch(cnn):
        for _ in range(7):
            for image, label in loader:
                optimizer.zero_grad()
                nn.functional.cross_entropy(cnn(image), label).backward()
                optimizer.step()


PROGRAM = Program(
    name="getitem-forgets-its-index",
    train=_train,
    source="Stack Overflow, a Dataset returns the same item for every index",
    truth=Truth(
        rules=("constant-input", "constant-target", "repeated-batch", "same-for-all-samples"),
        nodes=("model: input", "model.0: input", "cross_entropy: target"),
    ),
)
