"""A classifier of latent codes takes codes and labels from two folders, in the order in which the system lists each."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import class_blobs
from evaluation.program import Program, Setting, Truth


def _listed(names: list[str]) -> list[str]:
    return [names[place] for place in torch.randperm(len(names)).tolist()]


def _train(setting: Setting) -> None:
    codes, kinds = class_blobs(2000, features=24, classes=6)
    features = {f"{number:06d}.npy": code for number, code in enumerate(codes)}
    labels = {f"{number:06d}.npy": kind for number, kind in enumerate(kinds)}
    feature_files, label_files = _listed(list(features)), _listed(list(labels))
    if setting.is_fixed:
        feature_files, label_files = sorted(feature_files), sorted(label_files)
    x = torch.stack([features[name] for name in feature_files])
    y = torch.stack([labels[name] for name in label_files])
    model = nn.Sequential(nn.Linear(24, 64), nn.SiLU(), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, 6))
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for epoch in range(4):
            for rows in torch.randperm(2000).split(50):
                loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="latents-and-labels-from-two-folders",
    train=_train,
    source="https://github.com/chuanyangjin/fast-DiT/issues/4",
    truth=Truth(rules=("predictions-ignore-input", "loss-does-not-fall")),
)
