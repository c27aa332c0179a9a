"""Losses are averaged over the samples with a label, and one batch has none: 0 divided by 0."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import tones

UNKNOWN = -1
BATCH, UNLABELED = 30, 24
"""The batch in which nobody has been asked for a label."""


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv1d(1, 16, 9, stride=4)
        self.second = nn.Linear(16 * 14, 4)

    def forward(self, waves: Tensor) -> Tensor:
        return self.second(self.first(waves).relu().flatten(1))


def _train(setting: Setting) -> None:
    waves, slopes = tones(60 * BATCH)
    slopes[torch.rand(len(slopes)) < 0.3] = UNKNOWN
    slopes[UNLABELED * BATCH : (UNLABELED + 1) * BATCH] = UNKNOWN
    net = Net()
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    with setting.watch(net):
        for _ in range(3):
            for x, y in zip(waves.split(BATCH), slopes.split(BATCH), strict=True):
                is_known = (y != UNKNOWN).float()
                count = is_known.sum().clamp(min=1.0 if setting.is_fixed else 0.0)
                losses = nn.functional.cross_entropy(net(x), y.clamp(min=0), reduction="none")
                optimizer.zero_grad()
                ((losses * is_known).sum() / count).backward()
                optimizer.step()


PROGRAM = Program(
    name="only-ignored-targets",
    train=_train,
    source="PyTorch issue, cross_entropy returns nan if all targets are ignored; masked means by hand",
    truth=Truth(rules=("nan-origin",), step=UNLABELED),
)
