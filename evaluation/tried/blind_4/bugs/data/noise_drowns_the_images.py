"""An augmentation adds noise that is ten times stronger than the images, because they were scaled to one before."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset

from evaluation.program import Program, Setting, Truth


class _Leaves(Dataset[tuple[Tensor, Tensor]]):
    def __init__(self, images: Tensor, labels: Tensor, noise: float) -> None:
        self.images, self.labels, self.noise = images, labels, noise

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        image = self.images[index]
        return image + self.noise * torch.randn_like(image), self.labels[index]


def _train(setting: Setting) -> None:
    kinds = (torch.rand(6, 1, 10, 10) > 0.5).float()
    labels = torch.randint(0, 6, (900,))
    images = (kinds[labels] + 0.2 * torch.rand(900, 1, 10, 10)).clamp(0, 1)
    loader = DataLoader(_Leaves(images[:700], labels[:700], 0.1 if setting.is_fixed else 10.0), batch_size=28, shuffle=True)
    model = nn.Sequential(
        nn.Conv2d(1, 12, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(12, 24, 3, padding=1), nn.ReLU(), nn.Flatten(),
        nn.Linear(600, 6),
    )  # fmt: skip
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for _ in range(10):
            for x, y in loader:
                loss = nn.functional.cross_entropy(model(x), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    with torch.no_grad():
        print("accuracy", (model(images[700:]).argmax(1) == labels[700:]).float().mean().item(), loss.item())


PROGRAM = Program(
    name="noise-drowns-the-images",
    train=_train,
    source="Humbatova et al. 2020, preprocessing: wrong data augmentation",
    truth=Truth(rules=("input-not-normalized", "loss-does-not-fall", "initial-loss")),
)
