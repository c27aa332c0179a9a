"""The global pooling was put before the convolutions, and of every picture only its mean brightness is left."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class _Pictures(nn.Module):
    def __init__(self, is_fixed: bool) -> None:
        super().__init__()
        self.is_fixed = is_fixed
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.conv1 = nn.Conv2d(1, 16, 3, padding=1)
        self.conv2 = nn.Conv2d(16, 32, 3, padding=1, stride=2)
        self.fc = nn.Linear(32, 6)

    def forward(self, x: Tensor) -> Tensor:
        if not self.is_fixed:
            x = self.pool(x)
        x = torch.relu(self.conv2(torch.relu(self.conv1(x))))
        if self.is_fixed:
            x = self.pool(x)
        return self.fc(x.flatten(1))


def _train(setting: Setting) -> None:
    patterns = torch.stack([torch.randperm(144) < 60 for _ in range(6)]).float().view(6, 1, 12, 12)
    labels = torch.randint(0, 6, (900,))
    images = 2 * patterns[labels] - 1 + 0.4 * torch.randn(900, 1, 12, 12)
    model = _Pictures(setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=8e-3)
    with setting.watch(model):
        for _ in range(10):
            for chosen in torch.randperm(900).split(36):
                loss = nn.functional.cross_entropy(model(images[chosen]), labels[chosen])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    print("loss", loss.item())


PROGRAM = Program(
    name="pooled-before-it-is-seen",
    train=_train,
    source="NeuraLint: layers in the wrong order, feature maps too small; Humbatova et al. 2020: wrong amount of pooling",
    truth=Truth(
        rules=(
            "same-for-all-samples",
            "predictions-ignore-input",
            "loss-does-not-fall",
            "rank-collapse",
            "one-unit-bottleneck",
            "constant-input",
        ),
        nodes=("model.pool", "model.conv1", "model.conv2", "model.conv1: input", "model.conv2: input", "model.fc: input", "model: output"),
    ),
)
