"""A network of twelve layers with sigmoids, initialized by default: no gradient reaches the first layers."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting, Truth
from evaluation.series_and_tables import heartbeats

DEPTH = 12


def _train(setting: Setting) -> None:
    beats, kinds = heartbeats(1200)
    loader = DataLoader(TensorDataset(beats.flatten(1), kinds), batch_size=48, shuffle=True)
    bend: type[nn.Module] = nn.SELU if setting.is_fixed else nn.Sigmoid
    net = nn.Sequential()
    width = 48
    for depth in range(DEPTH):
        net.add_module(f"fc{depth}", nn.Linear(width, 40))
        net.add_module(f"bend{depth}", bend())
        width = 40
    net.add_module("out", nn.Linear(width, 3))
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    with setting.watch(net):
        for epoch in range(8):
            right = 0
            for beat, kind in loader:
                scores = net(beat)
                optimizer.zero_grad()
                nn.functional.cross_entropy(scores, kind).backward()
                optimizer.step()
                right += int((scores.argmax(dim=1) == kind).sum())
            print(f"epoch {epoch}: {right / 1200:.2f}")


PROGRAM = Program(
    name="twelve-sigmoids-for-a-signal",
    train=_train,
    source="Glorot and Bengio 2010; Zhang et al. 2021 (AutoTrainer), vanishing gradients",
    truth=Truth(
        rules=("vanishing-gradient", "same-for-all-samples", "predictions-ignore-input", "loss-does-not-fall"),
        nodes=tuple(f"model.{name}{depth}{what}" for name in ("fc", "bend") for depth in range(DEPTH) for what in ("", ": output")),
    ),
)
