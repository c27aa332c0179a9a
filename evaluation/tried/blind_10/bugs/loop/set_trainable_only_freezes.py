"""`set_trainable` freezes what its pattern does not name, and never thaws. The second stage was to train all, and trains the heads."""

from __future__ import annotations

import re

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.shapes_and_sentences import shapes


class Detector(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.backbone = nn.Sequential(nn.Conv2d(1, 12, 3, stride=2, padding=1), nn.ReLU())
        self.neck = nn.Sequential(nn.Conv2d(12, 24, 3, stride=2, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(384, 48), nn.ReLU())
        self.heads = nn.ModuleDict({"kind": nn.Linear(48, 4), "place": nn.Linear(48, 2)})

    def forward(self, image: Tensor) -> tuple[Tensor, Tensor]:
        x = self.neck(self.backbone(image))
        return self.heads["kind"](x), self.heads["place"](x)


def set_trainable(model: nn.Module, pattern: str, thaw: bool) -> None:
    for name, parameter in model.named_parameters():
        if not re.fullmatch(pattern, name):
            parameter.requires_grad = False
        elif thaw:
            parameter.requires_grad = True


def _train(setting: Setting) -> None:
    data = shapes(1200)
    model = Detector()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    thaw = setting.is_fixed
    with setting.watch(model):
        for stage, pattern in (("heads", r"heads\..*"), ("all", r".*")):
            set_trainable(model, pattern, thaw)
            for step in range(20 if stage == "heads" else 160):
                rows = torch.randint(1200, (32,))
                kind, place = model(data.images[rows])
                loss = nn.functional.cross_entropy(kind, data.classes[rows])
                loss = loss + 4 * nn.functional.mse_loss(place, data.centers[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                if step % 40 == 19:
                    print(f"{stage} {step}: {loss.item():.3f}")


PROGRAM = Program(
    name="set-trainable-only-freezes",
    train=_train,
    source="GitHub issues on set_trainable that only ever sets requires_grad to False",
    truth=Truth(
        rules=("frozen-as-initialized", "no-gradient"),
        nodes=(
            "model.backbone",
            "model.neck",
            *(f"model.{layer}{part}" for layer in ("backbone.0", "neck.0", "neck.3") for part in ("", ".weight", ".bias")),
        ),
    ),
)
