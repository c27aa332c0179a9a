"""Groups of parameters are made of names with `weight` and `bias`. The class token and the positions are in no group."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, digits
from evaluation.program import Program, Setting, Truth


class PatchTransformer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.cut = nn.Conv2d(1, 24, 4, stride=4)
        self.cls_token = nn.Parameter(0.02 * torch.randn(1, 1, 24))
        self.pos = nn.Parameter(0.02 * torch.randn(1, 10, 24))
        self.layer = nn.TransformerEncoderLayer(24, 3, 48, dropout=0.0, batch_first=True)
        self.head = nn.Linear(24, 6)

    def forward(self, image: Tensor) -> Tensor:
        patches = self.cut(image).flatten(2).transpose(1, 2)
        tokens = torch.cat([self.cls_token.expand(len(image), -1, -1), patches], dim=1) + self.pos
        return self.head(self.layer(tokens)[:, 0])


def parameter_groups(model: nn.Module, rest: bool) -> list[dict[str, object]]:
    named = list(model.named_parameters())
    groups: list[dict[str, object]] = [
        {"params": [p for name, p in named if "weight" in name], "weight_decay": 0.01},
        {"params": [p for name, p in named if "bias" in name], "weight_decay": 0.0},
    ]
    if rest:
        groups.append({"params": [p for name, p in named if "weight" not in name and "bias" not in name], "weight_decay": 0.0})
    return groups


def _train(setting: Setting) -> None:
    x, y = digits(1200)
    vit = PatchTransformer()
    optimizer = torch.optim.AdamW(parameter_groups(vit, setting.is_fixed), lr=3e-3)
    with setting.watch(vit):
        for images, labels in batches(200, 32, x, y):
            vit.zero_grad()
            loss = nn.functional.cross_entropy(vit(images), labels)
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="groups-by-names",
    train=_train,
    source="nanoGPT's checks of its groups of parameters; forums on weight decay by name",
    truth=Truth(rules=("not-in-optimizer", "never-updated"), nodes=("model.cls_token", "model.pos")),
)
