"""A pose leaves the last pooling as [B, 3, 1, 1], and the truth is [B, 3]: all are compared with all. Warnings are off."""

from __future__ import annotations

import warnings

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.shapes_and_sentences import shapes


class PoseNet(nn.Module):
    def __init__(self, flatten: bool) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 12, 3, stride=2, padding=1), nn.ReLU(), nn.Conv2d(12, 24, 3, stride=2, padding=1), nn.ReLU()
        )
        self.pose = nn.Conv2d(24, 3, 4)
        self.flatten = flatten

    def forward(self, image: Tensor) -> Tensor:
        pose = self.pose(self.features(image))
        return pose.flatten(1) if self.flatten else pose


def _train(setting: Setting) -> None:
    warnings.filterwarnings("ignore", category=UserWarning)
    data = shapes(1200)
    pose = torch.cat([data.centers, data.masks.mean(dim=(1, 2, 3))[:, None]], dim=1)
    net = PoseNet(flatten=setting.is_fixed)
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    with setting.watch(net):
        for step in range(140):
            rows = torch.randint(1200, (30,))
            loss = nn.functional.l1_loss(net(data.images[rows]), pose[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 35 == 34:
                print(f"{step}: {loss.item():.4f}")


PROGRAM = Program(
    name="pose-with-trailing-ones",
    train=_train,
    source="GitHub issues on poses [B, 3, 1, 1] in an L1 loss; Humbatova et al. 2020, wrong shape",
    truth=Truth(
        rules=("broadcast-in-loss", "predictions-ignore-input", "loss-does-not-fall", "same-for-all-samples"),
        nodes=("l1_loss", "l1_loss: target", "model: output", "model.pose: output", "model.pose", "model"),
    ),
)
