"""The bias of a detector of rare defects begins with the share of defects, with the wrong sign: everything is a defect."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth

SHARE = 0.01


def parts(count: int) -> tuple[Tensor, Tensor]:
    """Profiles of metal parts `[N, 1, 40]`, and where they have defects `[N, 1, 40]`."""
    profile = 0.3 * torch.randn(count, 1, 40)
    defect = (torch.rand(count, 1, 40) < SHARE).float()
    return profile + 1.5 * defect, defect


class Detector(nn.Module):
    def __init__(self, bias: float) -> None:
        super().__init__()
        self.features = nn.Sequential(nn.Conv1d(1, 16, 5, padding=2), nn.ReLU(), nn.Conv1d(16, 16, 5, padding=2), nn.ReLU())
        self.head = nn.Conv1d(16, 1, 1)
        nn.init.constant_(self.head.bias, bias)  # type: ignore[arg-type]

    def forward(self, profile: Tensor) -> Tensor:
        return self.head(self.features(profile))


def _train(setting: Setting) -> None:
    profile, defect = parts(1200)
    odds = math.log((1 - SHARE) / SHARE)
    detector = Detector(-odds if setting.is_fixed else odds)
    optimizer = torch.optim.Adam(detector.parameters(), lr=3e-3)
    with setting.watch(detector):
        for step in range(140):
            rows = torch.randint(1200, (32,))
            loss = nn.functional.binary_cross_entropy_with_logits(detector(profile[rows]), defect[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step in {0, 35, 70, 139}:
                print(f"{step}: {loss.item():.4f}")


PROGRAM = Program(
    name="prior-with-the-wrong-sign",
    train=_train,
    source="Lin et al. 2017, prior of the focal loss, without its minus",
    truth=Truth(
        rules=("initial-loss",),
        nodes=("binary_cross_entropy_with_logits", "model: output", "model.head", "model.head: output", "model.head.bias"),
    ),
)
