"""The trunk of a network that was trained on eight kinds of flowers stays frozen, and a new head learns four others."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class _Flowers(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(24, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 48), nn.ReLU())
        self.head = nn.Linear(48, 8)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.trunk(x))


def _train(setting: Setting) -> None:
    kinds = torch.randn(12, 6) @ torch.randn(6, 24)
    old = torch.randint(0, 8, (1500,))
    model = _Flowers()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for _ in range(5):
        for chosen in torch.randperm(1500).split(50):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(kinds[old[chosen]] / 2 + torch.randn(len(chosen), 24)), old[chosen]).backward()
            optimizer.step()
    new = torch.randint(0, 4, (1000,))
    flowers = kinds[8 + new] / 2 + torch.randn(1000, 24)
    model.trunk.requires_grad_(False)
    model.head = nn.Linear(48, 4)
    optimizer = torch.optim.Adam(model.head.parameters(), lr=5e-3)
    model.trunk.eval()
    with setting.watch(model):
        for _ in range(10):
            model.head.train()
            for chosen in torch.randperm(800).split(32):
                loss = nn.functional.cross_entropy(model(flowers[chosen]), new[chosen])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            with torch.no_grad():
                right = model(flowers[800:]).argmax(1) == new[800:]
            print("loss", loss.item(), "accuracy", right.float().mean().item())


PROGRAM = Program(name="flowers-on-a-frozen-trunk", train=_train, source="PyTorch tutorial: ConvNet as fixed feature extractor")
