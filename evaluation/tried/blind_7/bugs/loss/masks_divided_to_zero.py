"""Masks hold 0 and 255. Divided by 256 and cast to integers, they are all 0."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset

from evaluation.program import Program, Setting, Truth


class Nuclei(Dataset[tuple[Tensor, Tensor]]):
    """Pictures of round nuclei, and masks of them as a drawing program saves them."""

    def __init__(self, count: int, white: int) -> None:
        self.white = white
        y, x = torch.meshgrid(torch.arange(20), torch.arange(20), indexing="ij")
        center = torch.randint(4, 16, (count, 2, 1, 1))
        radius = torch.randint(2, 6, (count, 1, 1))
        inside = (y - center[:, 0]) ** 2 + (x - center[:, 1]) ** 2 < radius**2
        self.masks = (255 * inside).to(torch.uint8)
        self.pictures = (0.6 * inside + 0.4 * torch.rand(count, 20, 20))[:, None]

    def __len__(self) -> int:
        return len(self.masks)

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        return self.pictures[index], (self.masks[index] / self.white).long()


def _train(setting: Setting) -> None:
    data = Nuclei(480, white=255 if setting.is_fixed else 256)
    net = nn.Sequential(nn.Conv2d(1, 10, 5, padding=2), nn.ReLU(), nn.Conv2d(10, 10, 5, padding=2), nn.ReLU(), nn.Conv2d(10, 2, 1))
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    with setting.watch(net):
        for _ in range(6):
            for picture, mask in DataLoader(data, batch_size=16, shuffle=True):
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(net(picture), mask)
                loss.backward()
                optimizer.step()
            print(f"loss {loss.item():.4f}")


PROGRAM = Program(
    name="masks-divided-to-zero",
    train=_train,
    source="PyTorch forum, a segmentation predicts only background: the masks were all zero",
    truth=Truth(rules=("constant-target",), nodes=("cross_entropy: target", "cross_entropy")),
)
