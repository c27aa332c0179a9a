"""A warm-up sets `optimizer.lr`, which no optimizer reads: the first, tiny rate stays."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.worlds import babble


def _train(setting: Setting) -> None:
    text = babble(600)
    net = nn.Sequential(nn.Embedding(16, 32), nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 16))
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-8)
    with setting.watch(net):
        for step, (sentence,) in enumerate(batches(250, 16, text)):
            rate = 5e-3 * min(1.0, (step + 1) / 30)
            if setting.is_fixed:
                for group in optimizer.param_groups:
                    group["lr"] = rate
            else:
                optimizer.lr = rate  # type: ignore[attr-defined]
            optimizer.zero_grad()
            logits = net(sentence[:, :-1])
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), sentence[:, 1:].flatten())
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="rate-set-as-attribute",
    train=_train,
    source="Stack Overflow, how to change the learning rate of a PyTorch optimizer",
    truth=Truth(rules=("updates-too-small", "never-updated", "loss-does-not-fall", "predictions-ignore-input")),
)
