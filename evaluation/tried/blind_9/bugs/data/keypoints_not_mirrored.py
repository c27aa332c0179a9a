"""Half of the pictures are mirrored, and the place of the shape in them stays where it was."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.shapes_and_sentences import shapes


def augment(images: Tensor, points: Tensor, mirror_points: bool) -> tuple[Tensor, Tensor]:
    flipped = torch.rand(len(images)) < 0.5
    images = torch.where(flipped[:, None, None, None], images.flip(3), images)
    if mirror_points:
        points = torch.where(flipped[:, None], points * torch.tensor([-1.0, 1.0]), points)
    return images, points


def _train(setting: Setting) -> None:
    data = shapes(1200)
    model = nn.Sequential(
        nn.Conv2d(1, 12, 3, stride=2, padding=1),
        nn.BatchNorm2d(12),
        nn.ReLU(),
        nn.Conv2d(12, 24, 3, stride=2, padding=1),
        nn.BatchNorm2d(24),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(24 * 16, 2),
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for step in range(150):
            rows = torch.randint(len(data.images), (32,))
            images, points = augment(data.images[rows], data.centers[rows], mirror_points=setting.is_fixed)
            loss = nn.functional.smooth_l1_loss(model(images), points, beta=0.1)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 30 == 29:
                print(f"{step}: {loss.item():.4f}")


PROGRAM = Program(
    name="keypoints-not-mirrored",
    train=_train,
    source="Forum questions on augmenting pictures with points or masks; Humbatova et al. 2020, wrong augmentation",
    truth=Truth(rules=("loss-does-not-fall", "predictions-ignore-input"), nodes=("model.7", "smooth_l1_loss: target")),
)
