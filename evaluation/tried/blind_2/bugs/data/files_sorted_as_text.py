"""Files are listed as text ("img_10" before "img_2"), labels in numerical order: they do not belong together."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


class Folder(Dataset[tuple[Tensor, Tensor]]):
    def __init__(self, files: dict[str, Tensor], labels: Tensor, is_fixed: bool) -> None:
        self.files = files
        self.labels = labels
        self.names = sorted(files, key=lambda name: int(name[4:-4])) if is_fixed else sorted(files)

    def __len__(self) -> int:
        return len(self.names)

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        return self.files[self.names[index]], self.labels[index]


def _train(setting: Setting) -> None:
    images, labels = digits(1200, classes=4, size=10)
    images = (images - images.mean()) / images.std()
    data = Folder({f"img_{i}.png": image for i, image in enumerate(images)}, labels, setting.is_fixed)
    model = nn.Sequential(
        nn.Conv2d(1, 12, 3), nn.BatchNorm2d(12), nn.ReLU(), nn.Conv2d(12, 24, 3, stride=2), nn.ReLU(), nn.Flatten(), nn.Linear(216, 4)
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, weight_decay=1e-2)
    with setting.watch(model):
        for _ in range(6):
            for x, y in DataLoader(data, batch_size=24, shuffle=True):
                loss = nn.functional.cross_entropy(model(x), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


PROGRAM = Program(
    name="files-sorted-as-text",
    train=_train,
    source="Humbatova et al. 2020 (wrong labels), os.listdir order on Stack Overflow",
    truth=Truth(rules=("loss-does-not-fall", "predictions-ignore-input")),
)
