"""Results of exams are shares from 0 to 1, and the label asks whether they reach 50. Nobody does."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth

PASS_MARK = 50


class WillPass(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.school = nn.Embedding(9, 4)
        self.body = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 16), nn.ReLU())
        self.logit = nn.Linear(16, 1)

    def forward(self, habits: Tensor, school: Tensor) -> Tensor:
        return self.logit(self.body(torch.cat([habits, self.school(school)], dim=1))).squeeze(1)


def _train(setting: Setting) -> None:
    habits, school = torch.randn(2000, 6), torch.randint(9, (2000,))
    result = torch.sigmoid(habits[:, 0] + habits[:, 1] * habits[:, 2] + 0.2 * (school - 4) + 0.3 * torch.randn(2000))
    passed = (result >= (PASS_MARK / 100 if setting.is_fixed else PASS_MARK)).float()
    model = WillPass()
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for step in range(150):
            rows = torch.randint(2000, (40,))
            logit = model(habits[rows], school[rows])
            loss = nn.functional.binary_cross_entropy_with_logits(logit, passed[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 30 == 29:
                right = ((logit > 0) == (passed[rows] > 0.5)).float().mean()
                print(f"{step}: {loss.item():.4f}, {right:.2f} right")


PROGRAM = Program(
    name="pass-mark-of-fifty",
    train=_train,
    source="Common mistake: a threshold in another unit than the scores",
    truth=Truth(
        rules=("constant-target", "same-for-all-samples", "predictions-ignore-input"),
        nodes=("binary_cross_entropy_with_logits: target", "binary_cross_entropy_with_logits", "model.logit", "model.logit: output"),
    ),
)
