"""Gradients are never set to zero, so each step also follows those of all steps before."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.everyday import outlines
from evaluation.program import Program, Setting, Truth


class TrackerNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.block1 = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.BatchNorm2d(8))
        self.block2 = nn.Sequential(nn.Conv2d(8, 16, 3, stride=2, padding=1), nn.ReLU(), nn.BatchNorm2d(16))
        self.fc = nn.Linear(16 * 64, 2)

    def forward(self, x: Tensor) -> Tensor:
        return self.fc(self.block2(self.block1(x)).flatten(1))


def _train(setting: Setting) -> None:
    frames, masks = outlines(800)
    grid = torch.linspace(-1, 1, 16)
    area = masks.sum(dim=(1, 2))
    centre = torch.stack([(masks.sum(dim=2) * grid).sum(dim=1) / area, (masks.sum(dim=1) * grid).sum(dim=1) / area], dim=1)
    model = TrackerNet()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    criterion = nn.MSELoss()
    with setting.watch(model):
        for epoch in range(6):
            losses = []
            for rows in torch.randperm(800).split(40):
                out = model(frames[rows])
                loss = criterion(out, centre[rows])
                if setting.is_fixed:
                    optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
            print(f"epoch {epoch}: {sum(losses) / len(losses):.4f}")


PROGRAM = Program(
    name="tennis-court-without-zeroing",
    train=_train,
    source="https://github.com/yastrebksv/TennisCourtDetector/issues/7",
    truth=Truth(rules=("gradients-left-over", "diverging-loss")),
)
