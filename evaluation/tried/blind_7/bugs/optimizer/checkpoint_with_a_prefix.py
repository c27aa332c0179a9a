"""Names in a checkpoint begin with `module.`. `strict=False` hides that nothing was loaded, and a random backbone is frozen."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, digits
from evaluation.program import Program, Setting, Truth


class Classifier(nn.Module):
    def __init__(self, classes: int) -> None:
        super().__init__()
        self.backbone = nn.Sequential(
            nn.Conv2d(1, 12, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(12, 24, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten()
        )
        self.head = nn.Linear(24, classes)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.backbone(x))


def pretrained() -> dict[str, Tensor]:
    """What `nn.DataParallel` saves."""
    parallel = nn.Module()
    model = parallel.module = Classifier(6)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for images, labels in batches(150, 32, *digits(800)):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(images), labels).backward()
        optimizer.step()
    return {name: value for name, value in parallel.state_dict().items() if ".head." not in name}


def _train(setting: Setting) -> None:
    checkpoint = pretrained()
    model = Classifier(4)
    prefix = "module." if setting.is_fixed else ""
    model.load_state_dict({name.removeprefix(prefix): value for name, value in checkpoint.items()}, strict=False)
    for parameter in model.backbone.parameters():
        parameter.requires_grad = False
    optimizer = torch.optim.Adam(model.head.parameters(), lr=2e-2)
    x, y = digits(600, classes=4)
    with setting.watch(model):
        for images, labels in batches(150, 30, x, y):
            loss = nn.functional.cross_entropy(model(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="checkpoint-with-a-prefix",
    train=_train,
    source="github.com/pytorch/examples/issues/1029: load_state_dict with strict=False can silently load nothing",
    truth=Truth(
        rules=("frozen-as-initialized",),
        nodes=("model.backbone", *(f"model.backbone.{i}{part}" for i in (0, 3) for part in ("", ".weight", ".bias"))),
    ),
)
