"""Dropout gets 0.95 twice: in the framework of the original it was the share to keep."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    accents = torch.randn(6, 26)
    speakers = torch.randint(0, 6, (1500,))
    voices = accents[speakers] + 1.2 * torch.randn(1500, 26)
    p = 0.05 if setting.is_fixed else 0.95
    model = nn.Sequential(
        nn.Linear(26, 32), nn.GELU(), nn.Dropout(p), nn.Linear(32, 32), nn.GELU(), nn.Dropout(p), nn.Linear(32, 6)
    )  # fmt: skip
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for _ in range(10):
            model.train()
            for index in torch.randperm(1200).split(32):
                loss = nn.functional.cross_entropy(model(voices[index]), speakers[index])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                print("train", loss.item(), "accuracy", (model(voices[1200:]).argmax(1) == speakers[1200:]).float().mean().item())


PROGRAM = Program(
    name="keep-a-twentieth",
    train=_train,
    source="StackOverflow: keep_prob of TensorFlow and p of PyTorch; Humbatova et al. 2020, layer properties",
    truth=Truth(
        rules=("heavy-dropout", "loss-does-not-fall", "predictions-ignore-input", "dormant-units"),
        nodes=("model.2", "model.5"),
    ),
)
