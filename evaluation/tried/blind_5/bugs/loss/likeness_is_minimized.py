"""The cosine similarity of a sketch's code and its photo's code is minimized as if it were a distance."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    sketches = torch.randn(1200, 20)
    photos = torch.tanh(sketches @ torch.randn(20, 12) / 3)
    model = nn.Sequential(nn.Linear(20, 48), nn.LeakyReLU(), nn.Linear(48, 12))
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for _ in range(10):
            for chosen in torch.randperm(1200).split(40):
                likeness = nn.functional.cosine_similarity(model(sketches[chosen]), photos[chosen]).mean()
                loss = 1 - likeness if setting.is_fixed else likeness
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    print("loss", loss.item(), "likeness", likeness.item())


PROGRAM = Program(
    name="likeness-is-minimized",
    train=_train,
    source="Humbatova et al. 2020: wrong loss calculation; StackOverflow, cosine similarity as a loss gets to -1",
    truth=Truth(rules=("negative-loss",), nodes=("model: output", "model.2")),
)
