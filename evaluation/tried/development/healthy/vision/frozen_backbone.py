"""Fine-tuning: a pretrained backbone is frozen, with its batch norm in evaluation mode, and a new head is trained."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.shapes_and_sentences import shapes


class _Classifier(nn.Module):
    def __init__(self, backbone: nn.Module, classes: int) -> None:
        super().__init__()
        self.backbone = backbone
        self.head = nn.Sequential(nn.Linear(128, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, classes))

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.backbone(x))


def _train(setting: Setting) -> None:
    backbone = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.BatchNorm2d(16),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1),
        nn.BatchNorm2d(32),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(2),
        nn.Flatten(),
    )
    pretrained = _Classifier(backbone, 4)
    optimizer = torch.optim.Adam(pretrained.parameters(), lr=2e-3)
    data = shapes(2048)
    for _ in range(250):
        index = torch.randint(2048, (32,))
        optimizer.zero_grad()
        nn.functional.cross_entropy(pretrained(data.images[index]), data.classes[index]).backward()
        optimizer.step()

    for parameter in backbone.parameters():
        parameter.requires_grad = False
    model = _Classifier(backbone, 2)
    is_left = (data.centers[:, 0] < 0).long()
    optimizer = torch.optim.Adam(model.head.parameters(), lr=1e-3)
    with setting.watch(model):
        for _ in range(12):
            model.train()
            backbone.eval()
            for index in torch.randperm(2048).split(32):
                loss = nn.functional.cross_entropy(model(data.images[index]), is_left[index])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


PROGRAM = Program(
    name="frozen-backbone", train=_train, source="PyTorch's tutorial on transfer learning: the network as a fixed feature extractor"
)
