"""A small U-Net ends with a softmax over its classes, and is trained with cross-entropy."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.shapes_and_sentences import shapes


class SmallUnet(nn.Module):
    def __init__(self, classes: int, *, is_fixed: bool) -> None:
        super().__init__()
        self.down = nn.Conv2d(1, 12, 3, padding=1)
        self.middle = nn.Conv2d(12, 24, 3, padding=1)
        self.up = nn.ConvTranspose2d(24, 12, 2, stride=2)
        self.last = nn.Conv2d(24, classes, 3, padding=1)
        self.probabilities: nn.Module = nn.Identity() if is_fixed else nn.Softmax(dim=1)

    def forward(self, image: Tensor) -> Tensor:
        skip = torch.relu(self.down(image))
        deep = torch.relu(self.middle(nn.functional.max_pool2d(skip, 2)))
        return self.probabilities(self.last(torch.cat([skip, torch.relu(self.up(deep))], dim=1)))


def _train(setting: Setting) -> None:
    pictures = shapes(600, size=12, noise=0.5)
    # 0 is the background, 1 to 4 are the shapes.
    classes = (pictures.masks.squeeze(1) * (pictures.classes[:, None, None] + 1)).long()
    model = SmallUnet(5, is_fixed=setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    criterion = nn.CrossEntropyLoss()
    with setting.watch(model):
        for image, target in batches(160, 20, pictures.images, classes):
            loss = criterion(model(image), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="segmentation-with-softmax",
    train=_train,
    source="PyTorch forum, softmax in U-Net with CrossEntropyLoss; UMLAUT (missing from_logits)",
    truth=Truth(
        rules=("softmax-before-cross-entropy",),
        nodes=("model.probabilities: output", "model: output", "model.probabilities", "model.last: output"),
    ),
)
