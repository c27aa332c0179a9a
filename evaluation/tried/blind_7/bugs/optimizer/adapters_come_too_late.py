"""Low-rank adapters are put into a trained network after the optimizer has been made, so it holds none of them."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth


class Lora(nn.Module):
    def __init__(self, base: nn.Linear, rank: int = 4) -> None:
        super().__init__()
        self.base = base
        self.down = nn.Linear(base.in_features, rank, bias=False)
        self.up = nn.Linear(rank, base.out_features, bias=False)
        nn.init.zeros_(self.up.weight)

    def forward(self, x: Tensor) -> Tensor:
        return self.base(x) + self.up(self.down(x))


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(20, 64), nn.Linear(64, 64)
        self.head = nn.Linear(64, 4)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(torch.relu(self.second(torch.relu(self.first(x)))))


def insert_adapters(net: Net) -> None:
    net.first.requires_grad_(False)
    net.second.requires_grad_(False)
    net.first = Lora(net.first)  # type: ignore[assignment]
    net.second = Lora(net.second)  # type: ignore[assignment]


def _train(setting: Setting) -> None:
    net = Net()
    x, y = class_blobs(1500, 20, 4)
    before = torch.optim.Adam(net.parameters(), lr=3e-3)
    for some, labels in batches(120, 50, x, y):
        before.zero_grad()
        nn.functional.cross_entropy(net(some), labels).backward()
        before.step()

    x, y = class_blobs(1500, 20, 4)
    if setting.is_fixed:
        insert_adapters(net)
        optimizer = torch.optim.Adam([p for p in net.parameters() if p.requires_grad], lr=3e-3)
    else:
        optimizer = torch.optim.Adam([p for p in net.parameters() if p.requires_grad], lr=3e-3)
        insert_adapters(net)
    with setting.watch(net):
        for some, labels in batches(220, 50, x, y):
            loss = nn.functional.cross_entropy(net(some), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="adapters-come-too-late",
    train=_train,
    source="GitHub issues of peft and loralib: adapters that are added after the optimizer; PyTorch forum, new layers do not train",
    truth=Truth(
        rules=("not-in-optimizer", "never-updated", "gradients-left-over", "zero-gradient"),
        nodes=tuple(f"model.{layer}{part}" for layer in ("first", "second") for part in ("", ".down", ".up", ".down.weight", ".up.weight")),
    ),
)
