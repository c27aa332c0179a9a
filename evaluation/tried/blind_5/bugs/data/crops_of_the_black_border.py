"""The crop is taken from the upper left corner of the scan, where there is only the black border."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


class _Scans(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(144, 64)
        self.last = nn.Linear(64, 6)

    def forward(self, scan: Tensor) -> Tensor:
        return self.last(torch.relu(self.first(scan.flatten(1))))


def _train(setting: Setting) -> None:
    glyphs, labels = digits(count=1200)
    scans = torch.zeros(1200, 1, 40, 40)
    scans[:, :, 14:26, 14:26] = glyphs
    corner = 14 if setting.is_fixed else 0
    crops = (scans[:, :, corner : corner + 12, corner : corner + 12] - 0.4) / 0.4
    model = _Scans()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for epoch in range(8):
            for chosen in torch.randperm(1200).split(40):
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(crops[chosen]), labels[chosen])
                loss.backward()
                optimizer.step()
            print(epoch, loss.item())


PROGRAM = Program(
    name="crops-of-the-black-border",
    train=_train,
    source="Humbatova et al. 2020: wrong preprocessing; Karpathy's recipe: look at what goes into the network",
    truth=Truth(
        rules=("constant-input", "same-for-all-samples", "predictions-ignore-input", "loss-does-not-fall", "rank-collapse"),
        nodes=("model: input scan", "model: input", "model.first: input", "model.first", "model.last", "model: output"),
    ),
)
