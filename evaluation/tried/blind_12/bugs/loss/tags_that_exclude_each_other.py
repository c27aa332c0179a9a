"""A piece has several tags, and a softmax lets them compete for one share."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class TaggingNet(nn.Module):
    def __init__(self, tags: int) -> None:
        super().__init__()
        self.conv = nn.Sequential(nn.Conv1d(1, 16, 9, stride=2), nn.BatchNorm1d(16), nn.ReLU(), nn.Conv1d(16, 32, 5, stride=2), nn.ReLU())
        self.fc = nn.Linear(32, tags)

    def forward(self, audio: Tensor) -> Tensor:
        return self.fc(self.conv(audio).amax(dim=2))


def _train(setting: Setting) -> None:
    tags = (torch.rand(1000, 5) < 0.4).float()
    time = torch.arange(64)
    pitches = torch.sin((0.3 + 0.45 * torch.arange(5))[:, None] * time)
    audio = (tags[:, :, None] * pitches * (0.7 + 0.6 * torch.rand(1000, 5, 1))).sum(dim=1) + 0.3 * torch.randn(1000, 64)
    model = TaggingNet(5)
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    criterion = nn.BCELoss()
    with setting.watch(model):
        for epoch in range(7):
            for rows in torch.randperm(1000).split(40):
                output = model(audio[rows, None])
                share = torch.sigmoid(output) if setting.is_fixed else torch.softmax(output, dim=1)
                loss = criterion(share, tags[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="tags-that-exclude-each-other",
    train=_train,
    source="https://github.com/Spijkervet/CLMR/issues/3",
    truth=Truth(
        rules=("softmax-for-several-labels", "target-out-of-range"),
        nodes=("softmax", "model.fc", "model: output", "binary_cross_entropy", "binary_cross_entropy: target"),
    ),
)
