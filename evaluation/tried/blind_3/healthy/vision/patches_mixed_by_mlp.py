"""An MLP-Mixer tells the directions of stripes apart."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting
from evaluation.worlds import gratings


class Mixer(nn.Module):
    def __init__(self, patches: int, width: int) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.tokens = nn.Sequential(nn.Linear(patches, 24), nn.GELU(), nn.Linear(24, patches))
        self.channels = nn.Sequential(nn.Linear(width, 64), nn.GELU(), nn.Linear(64, width))

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.tokens(self.norm1(x).transpose(1, 2)).transpose(1, 2)
        return x + self.channels(self.norm2(x))


class Classifier(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, 32, 4, stride=4)
        self.mixers = nn.ModuleList(Mixer(9, 32) for _ in range(3))
        self.norm, self.head = nn.LayerNorm(32), nn.Linear(32, 4)

    def forward(self, images: Tensor) -> Tensor:
        x = self.patches(images).flatten(2).transpose(1, 2)
        for mixer in self.mixers:
            x = mixer(x)
        return self.head(self.norm(x).mean(dim=1))


def _train(setting: Setting) -> None:
    loader = DataLoader(TensorDataset(*gratings(960, size=12)), batch_size=32, shuffle=True)
    model = Classifier()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=0.05)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=4e-3, total_steps=6 * len(loader))
    with setting.watch(model):
        for _ in range(6):
            for x, y in loader:
                optimizer.zero_grad()
                nn.functional.cross_entropy(model(x), y).backward()
                optimizer.step()
                scheduler.step()


PROGRAM = Program(name="patches-mixed-by-mlp", train=_train, source="Tolstikhin et al. 2021 (MLP-Mixer)")
