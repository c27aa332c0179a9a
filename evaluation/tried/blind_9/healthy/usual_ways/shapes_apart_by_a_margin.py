"""Pictures are embedded so that those of a class are close. Those triplets of a batch that are not apart count."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting


class Embedder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Conv2d(1, 12, 3, stride=2, padding=1),
            nn.BatchNorm2d(12),
            nn.ReLU(),
            nn.Conv2d(12, 24, 3, stride=2, padding=1),
            nn.BatchNorm2d(24),
            nn.ReLU(),
            nn.Flatten(),
        )
        self.project = nn.Linear(24 * 9, 12)

    def forward(self, image: Tensor) -> Tensor:
        return nn.functional.normalize(self.project(self.trunk(image)), dim=1)


def triplet_loss(embedded: Tensor, labels: Tensor, margin: float) -> Tensor:
    distance = (2 - 2 * embedded @ embedded.T).clamp(min=1e-6).sqrt()
    same = labels[:, None] == labels[None, :]
    anchors, positives, negatives = (same[:, :, None] & ~same[:, None, :]).nonzero(as_tuple=True)
    too_far = distance[anchors, positives] - distance[anchors, negatives] + margin
    violating = too_far > 0
    return too_far[violating].sum() / violating.sum().clamp(min=1)


def _train(setting: Setting) -> None:
    images, labels = digits(1200)
    images = (images - images.mean()) / images.std()
    model = Embedder()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for step in range(130):
            rows = torch.randint(1200, (40,))
            embedded = model(images[rows])
            loss = triplet_loss(embedded, labels[rows], margin=0.3)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 26 == 25:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(name="shapes-apart-by-a-margin", train=_train, source="Hermans et al. 2017, all triplets of a batch")
