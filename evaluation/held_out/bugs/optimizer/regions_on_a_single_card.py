"""Regions get a class and a box. The rate is that of a cluster, and the batch is that of a single card."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.shapes_and_sentences import shapes


class RegionHead(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 16, 3, stride=2, padding=1)
        self.fc6 = nn.Linear(16 * 64, 64)
        self.fc7 = nn.Linear(64, 64)
        self.cls_score = nn.Linear(64, 4)
        self.bbox_pred = nn.Linear(64, 2)

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor]:
        x = torch.relu(self.conv(images)).flatten(1)
        x = torch.relu(self.fc7(torch.relu(self.fc6(x))))
        return self.cls_score(x), self.bbox_pred(x)


def _train(setting: Setting) -> None:
    data = shapes(1200, noise=0.1)
    model = RegionHead()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02 if setting.is_fixed else 0.32, momentum=0.9, weight_decay=1e-4)
    with setting.watch(model):
        for step in range(200):
            rows = torch.randint(0, 1200, (8,))
            score, box = model(data.images[rows])
            loss_classifier = nn.functional.cross_entropy(score, data.classes[rows])
            loss_box = nn.functional.smooth_l1_loss(box, data.centers[rows])
            loss = loss_classifier + loss_box
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 40 == 39:
                print(f"{step}: classes {loss_classifier.item():.4f}, boxes {loss_box.item():.4f}")


PROGRAM = Program(
    name="regions-on-a-single-card",
    train=_train,
    source="https://github.com/facebookresearch/maskrcnn-benchmark/issues/295",
    truth=Truth(
        rules=("updates-too-large", "diverging-loss", "oscillating-loss", "loss-does-not-fall", "exploding-gradient", "dead-relu"),
    ),
)
