"""The names of classes become numbers in each batch anew. A batch rarely has all twelve, so a number means something else each time."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth

NAMES = ["ash", "beech", "birch", "cedar", "elm", "fir", "larch", "lime", "maple", "oak", "pine", "yew"]


def numbers(names: list[str], known: list[str]) -> Tensor:
    return torch.tensor([known.index(name) for name in names])


class TreeNet(nn.Module):
    def __init__(self, features: int, classes: int) -> None:
        super().__init__()
        self.fc1 = nn.Linear(features, 64)
        self.fc2 = nn.Linear(64, 64)
        self.fc3 = nn.Linear(64, classes)

    def forward(self, x: Tensor) -> Tensor:
        x = nn.functional.gelu(self.fc1(x))
        x = nn.functional.gelu(self.fc2(x))
        return self.fc3(x)


def _train(setting: Setting) -> None:
    leaves, _ = class_blobs(2400, features=16)
    # Species are about equally frequent.
    species = (leaves[:, 0] + 0.5 * leaves[:, 1] * leaves[:, 2]).argsort().argsort() * len(NAMES) // 2400
    net = TreeNet(16, len(NAMES))
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    with setting.watch(net):
        for step, (x, kind) in enumerate(batches(250, 6, leaves, species)):
            names = [NAMES[k] for k in kind.tolist()]
            target = numbers(names, NAMES if setting.is_fixed else sorted(set(names)))
            loss = nn.functional.cross_entropy(net(x), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 50 == 49:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(
    name="classes-numbered-in-every-batch",
    train=_train,
    source="GitHub issues on labels that are mapped differently each time they are read",
    truth=Truth(
        rules=("predictions-ignore-input", "loss-does-not-fall", "oscillating-loss"),
        nodes=("cross_entropy: target", "cross_entropy", "model", "model: output", "model.fc3", "model.fc3: output"),
    ),
)
