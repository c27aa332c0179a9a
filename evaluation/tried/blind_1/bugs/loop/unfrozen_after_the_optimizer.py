"""The backbone is unfrozen in step 200, but the optimizer was made of what could be trained at the beginning."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, digits
from evaluation.program import Program, Setting, Truth


class Transfer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.backbone = nn.Sequential(
            nn.Conv2d(1, 12, 3, stride=2, padding=1), nn.ReLU(), nn.Conv2d(12, 16, 3, stride=2, padding=1), nn.ReLU()
        )
        self.classifier = nn.Linear(16 * 9, 6)

    def forward(self, x: Tensor) -> Tensor:
        return self.classifier(self.backbone(x).flatten(1))


def _train(setting: Setting) -> None:
    images, labels = digits(1500)
    model = Transfer()
    for parameter in model.backbone.parameters():
        parameter.requires_grad = False
    optimizer = torch.optim.Adam([parameter for parameter in model.parameters() if parameter.requires_grad], lr=1e-3)
    with setting.watch(model):
        for step, (x, y) in enumerate(batches(700, 32, images, labels)):
            if step == 200:
                for parameter in model.backbone.parameters():
                    parameter.requires_grad = True
                if setting.is_fixed:
                    optimizer.add_param_group({"params": list(model.backbone.parameters()), "lr": 1e-3})
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="unfrozen-after-the-optimizer",
    train=_train,
    source="guides to gradual unfreezing: the optimizer has to get what is unfrozen later",
    truth=Truth(
        rules=("not-in-optimizer", "never-updated"),
        nodes=("model.backbone", *(f"model.backbone.{k}{what}" for k in (0, 2) for what in ("", ".weight", ".bias"))),
        step=200,
    ),
)
