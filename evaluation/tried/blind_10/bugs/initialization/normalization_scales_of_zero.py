"""A trick for residual branches is used in a network without any: every batch normalization begins with a scale of zero."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import gratings


def block(inside: int, outside: int) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(inside, outside, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(outside), nn.ReLU())


class Plain(nn.Module):
    def __init__(self, scale: float) -> None:
        super().__init__()
        self.block1 = block(3, 12)
        self.block2 = block(12, 24)
        self.block3 = block(24, 24)
        self.head = nn.Linear(24, 4)
        for module in self.modules():
            if isinstance(module, nn.BatchNorm2d):
                nn.init.constant_(module.weight, scale)

    def forward(self, x: Tensor) -> Tensor:
        x = self.block3(self.block2(self.block1(x)))
        return self.head(x.mean(dim=(2, 3)))


def _train(setting: Setting) -> None:
    images, angles = gratings(1000)
    net = Plain(scale=1.0 if setting.is_fixed else 0.0)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    with setting.watch(net):
        for step in range(160):
            rows = torch.randint(1000, (32,))
            loss = nn.functional.cross_entropy(net(images[rows]), angles[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 40 == 39:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(
    name="normalization-scales-of-zero",
    train=_train,
    source="Goyal et al. 2017, out of place; Humbatova et al. 2020, wrong weights initialization",
    truth=Truth(
        rules=(
            "zero-gradient",
            "same-for-all-samples",
            "predictions-ignore-input",
            "loss-does-not-fall",
            "dead-relu",
            "vanishing-gradient",
            "equal-weights",
        ),
        nodes=(
            "model.head",
            "model.head: input",
            "model.head: output",
            "model.head.weight",
            *(f"model.block{n}" for n in (1, 2, 3)),
            *(f"model.block{n}.{layer}{part}" for n in (1, 2, 3) for layer in (0, 1, 2) for part in ("", ".weight", ": output")),
        ),
    ),
)
