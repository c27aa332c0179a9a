"""The mean is taken over the axis of channels. A vibration has one channel, so nothing is left of it."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import tones


def _train(setting: Setting) -> None:
    sound, slope = tones(1200)
    axis = 2 if setting.is_fixed else 1
    sound = sound - sound.mean(dim=axis, keepdim=True)
    loader = DataLoader(TensorDataset(sound, slope), batch_size=40, shuffle=True)
    model = nn.Sequential()
    for i, (ins, outs) in enumerate([(1, 12), (12, 24), (24, 24)]):
        model.add_module(f"conv{i}", nn.Conv1d(ins, outs, 7, stride=2, padding=3))
        model.add_module(f"act{i}", nn.ELU())
    model.add_module("flat", nn.Flatten())
    model.add_module("fc", nn.Linear(24 * 8, 4))
    opt = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for epoch in range(7):
            right = 0
            for wave, label in loader:
                opt.zero_grad()
                out = model(wave)
                F.cross_entropy(out, label).backward()
                opt.step()
                right += int((out.argmax(1) == label).sum())
            print(f"epoch {epoch}: {right / 1200:.2f}")


PROGRAM = Program(
    name="centred-over-one-channel",
    train=_train,
    source="Humbatova et al. 2020, preprocessing: wrong axis",
    truth=Truth(
        rules=("constant-input", "same-for-all-samples", "predictions-ignore-input", "loss-does-not-fall", "zero-gradient"),
        nodes=("model: input",),
    ),
)
