"""The background weighs nothing in the loss, which divides by the sum of all weights. In step 58 a batch is nothing but background."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import tones


def make_model() -> nn.Module:
    return nn.Sequential(
        nn.Conv1d(1, 12, 9, stride=2),
        nn.BatchNorm1d(12),
        nn.ReLU(),
        nn.Conv1d(12, 24, 5, stride=2),
        nn.ReLU(),
        nn.AdaptiveAvgPool1d(4),
        nn.Flatten(),
        nn.Linear(96, 5),
    )


def _train(setting: Setting) -> None:
    sounds, kinds = tones(1600)
    # Class 0 is background: of the sounds with a kind, and of noise alone.
    labels = kinds + 1
    noise = torch.rand(1600) < 0.3
    noise[58 * 16 : 59 * 16] = True
    sounds[noise] = torch.randn_like(sounds[noise])
    labels[noise] = 0
    weight = torch.tensor([0.01 if setting.is_fixed else 0.0, 1, 1, 1, 1])
    model = make_model()
    criterion = nn.CrossEntropyLoss(weight=weight)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for step, (sound, label) in enumerate(zip(sounds.split(16), labels.split(16), strict=True)):
            loss = criterion(model(sound), label)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 20 == 19:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(
    name="classes-that-weigh-nothing",
    train=_train,
    source="GitHub issues on weighted cross entropies of batches that weigh nothing",
    truth=Truth(rules=("nan-origin",), nodes=("cross_entropy",), step=58),
)
