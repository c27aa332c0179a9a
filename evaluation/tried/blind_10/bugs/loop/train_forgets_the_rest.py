"""A network overrides `train()` to keep its frozen trunk in evaluation mode, and forgets the rest: after an evaluation, all stays so."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import gratings


def trunk() -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(3, 16, 3, stride=2), nn.BatchNorm2d(16), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten())


class Tuned(nn.Module):
    def __init__(self, backbone: nn.Module, call_super: bool) -> None:
        super().__init__()
        self.backbone = backbone.requires_grad_(False)
        self.head = nn.Sequential(nn.Linear(64, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Dropout(0.3), nn.Linear(64, 4))
        self.call_super = call_super

    def train(self, mode: bool = True) -> Tuned:
        if self.call_super or not mode:
            super().train(mode)
        self.backbone.eval()
        return self

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.backbone(x))


def _train(setting: Setting) -> None:
    images, angles = gratings(1200)
    backbone = trunk()
    pretrained = nn.Sequential(backbone, nn.Linear(64, 4))
    first = torch.optim.Adam(pretrained.parameters(), lr=5e-3)
    for _ in range(60):
        rows = torch.randint(1200, (40,))
        loss = nn.functional.cross_entropy(pretrained(images[rows]), angles[rows])
        first.zero_grad()
        loss.backward()
        first.step()

    model = Tuned(backbone, call_super=setting.is_fixed)
    optimizer = torch.optim.Adam(model.head.parameters(), lr=3e-3)
    with setting.watch(model):
        for epoch in range(5):
            model.train()
            for rows in torch.randperm(1000).split(40):
                loss = nn.functional.cross_entropy(model(images[rows]), angles[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                right = (model(images[1000:]).argmax(1) == angles[1000:]).float().mean()
            print(f"epoch {epoch}: {loss.item():.3f}, {right:.2f} right")


PROGRAM = Program(
    name="train-forgets-the-rest",
    train=_train,
    source="GitHub issues on train() that is overridden to freeze batch normalization",
    truth=Truth(
        rules=("training-in-evaluation-mode",),
        nodes=("model", "model.head", "model.head.1", "model.head.3"),
        step=25,
    ),
)
