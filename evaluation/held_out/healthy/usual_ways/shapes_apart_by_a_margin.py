"""Pictures are embedded so that those of a class are close. Each is compared with the hardest others of its batch."""

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


def hardest(embedded: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    with torch.no_grad():
        distance = torch.cdist(embedded, embedded)
        same = labels[:, None] == labels[None, :]
        positive = distance.masked_fill(~same, -1.0).argmax(dim=1)
        negative = distance.masked_fill(same, 9.0).argmin(dim=1)
    return embedded[positive], embedded[negative]


def _train(setting: Setting) -> None:
    images, labels = digits(1200)
    images = (images - images.mean()) / images.std()
    model = Embedder()
    criterion = nn.TripletMarginLoss(margin=0.3)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for step in range(130):
            rows = torch.randint(1200, (40,))
            embedded = model(images[rows])
            positive, negative = hardest(embedded, labels[rows])
            loss = criterion(embedded, positive, negative)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 26 == 25:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(name="shapes-apart-by-a-margin", train=_train, source="Hermans et al. 2017, triplets of hard samples in the batch")
