"""Three percent of the samples are positive, and the loss weighs them more."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class _Detector(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc1 = nn.Linear(10, 32)
        self.fc2 = nn.Linear(32, 16)
        self.out = nn.Linear(16, 1)

    def forward(self, x: Tensor) -> Tensor:
        x = nn.functional.elu(self.fc1(x))
        x = nn.functional.elu(self.fc2(x))
        return self.out(x).squeeze(1)


def _train(setting: Setting) -> None:
    x = torch.randn(8000, 10)
    score = x[:, 0] + 0.8 * x[:, 1] ** 2 + 0.5 * torch.randn(8000)
    is_rare = (score > score.quantile(0.97)).float()
    model = _Detector()
    criterion = nn.BCEWithLogitsLoss(pos_weight=torch.tensor(10.0))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for _ in range(12):
            for index in torch.randperm(8000).split(128):
                loss = criterion(model(x[index]), is_rare[index])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


PROGRAM = Program(
    name="class-imbalance", train=_train, source="pos_weight of BCEWithLogitsLoss, as for fraud detection", chose_thresholds=True
)
