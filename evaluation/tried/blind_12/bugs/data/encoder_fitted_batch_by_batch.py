"""The names of the classes are encoded in every batch by itself: 0 is another class each time."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import class_blobs
from evaluation.program import Program, Setting, Truth


def encode(names: list[str]) -> Tensor:
    known: list[str] = []
    for name in names:
        if name not in known:
            known.append(name)
    return torch.tensor([known.index(name) for name in names])


def _train(setting: Setting) -> None:
    features, kinds = class_blobs(2000, features=16, classes=5)
    genre = ["jazz", "rock", "folk", "metal", "soul"]
    names = [genre[kind] for kind in kinds.tolist()]
    codes = encode(names)
    model = nn.Sequential(nn.Linear(16, 48), nn.LayerNorm(48), nn.GELU(), nn.Linear(48, 5))
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for epoch in range(4):
            for rows in torch.randperm(2000).split(50):
                labels = codes[rows] if setting.is_fixed else encode([names[row] for row in rows.tolist()])
                loss = nn.functional.cross_entropy(model(features[rows]), labels)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.3f}")


PROGRAM = Program(
    name="encoder-fitted-batch-by-batch",
    train=_train,
    source="https://github.com/scikit-learn/scikit-learn/issues/10324",
    truth=Truth(rules=("renumbered-classes", "loss-does-not-fall", "predictions-ignore-input"), nodes=("cross_entropy: target",)),
)
