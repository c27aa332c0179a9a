"""The last layer has a ReLU, as all layers before it, and the loss's sigmoid comes on top: no chance is below a half."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import clients


def layers(widths: list[int], spare_last: bool) -> list[nn.Module]:
    built: list[nn.Module] = []
    for ins, outs in pairwise(widths):
        built += [nn.Linear(ins, outs), nn.ReLU()]
    return built[:-1] if spare_last else built


def _train(setting: Setting) -> None:
    table, stays = clients(1800)
    net = nn.Sequential(*layers([12, 48, 48, 1], spare_last=setting.is_fixed), nn.Sigmoid())
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    with setting.watch(net):
        for epoch in range(8):
            total = 0.0
            for chosen in torch.randperm(1800).split(60):
                optimizer.zero_grad()
                loss = nn.functional.binary_cross_entropy(net(table[chosen]).squeeze(1), stays[chosen].float())
                loss.backward()
                optimizer.step()
                total += loss.item() / 30
            print(f"epoch {epoch}: {total:.3f}")


PROGRAM = Program(
    name="never-a-chance-below-half",
    train=_train,
    source="Humbatova et al. 2020, model: wrong activation; Stack Overflow, ReLU before the sigmoid of a classifier",
    truth=Truth(
        rules=("activation-after-activation", "dead-relu", "target-out-of-range"),
        nodes=("model.5", "model.6", "model.5: output", "model.6: output", "model.4: output", "model.4"),
    ),
)
