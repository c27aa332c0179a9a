"""A body that was trained on other kinds is frozen, in evaluation mode, and only a new head learns."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.everyday import photos
from evaluation.program import Program, Setting


class Net(nn.Module):
    def __init__(self, kinds: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(3, 12, 3, stride=2, padding=1),
            nn.BatchNorm2d(12),
            nn.ReLU(),
            nn.Conv2d(12, 24, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.AdaptiveAvgPool2d(2),
            nn.Flatten(),
        )
        self.head = nn.Linear(96, kinds)

    def forward(self, image: Tensor) -> Tensor:
        return self.head(self.body(image))


def _train(setting: Setting) -> None:
    pixels, kinds = photos(1400, classes=8)
    images = pixels / 64 - 2
    known, new = kinds < 5, kinds >= 5
    model = Net(5)
    first = torch.optim.Adam(model.parameters(), lr=3e-3)
    for _ in range(150):
        rows = known.nonzero()[:, 0][torch.randint(0, int(known.sum()), (48,))]
        first.zero_grad()
        nn.functional.cross_entropy(model(images[rows]), kinds[rows]).backward()
        first.step()
    model.head = nn.Linear(96, 3)
    for parameter in model.body.parameters():
        parameter.requires_grad_(False)
    optimizer = torch.optim.Adam(model.head.parameters(), lr=1e-2)
    x, y = images[new], kinds[new] - 5
    with setting.watch(model):
        for epoch in range(10):
            model.train()
            model.body.eval()
            for rows in torch.randperm(len(x)).split(32):
                loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(name="new-kinds-on-a-frozen-body", train=_train, source="Yosinski et al. 2014, transferable features")
