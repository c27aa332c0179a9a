"""`optimizer.zero_grad` is named and not called, so the gradients of all batches add up."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth
from evaluation.series_and_tables import heartbeats


def make_net() -> nn.Sequential:
    net = nn.Sequential()
    net.add_module("filter", nn.Conv1d(1, 10, 7, stride=2))
    net.add_module("relu", nn.ReLU())
    net.add_module("pool", nn.AdaptiveMaxPool1d(5))
    net.add_module("flatten", nn.Flatten())
    net.add_module("class", nn.Linear(50, 3))
    return net


def _train(setting: Setting) -> None:
    beats, kinds = heartbeats(1200)
    net = make_net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    criterion = nn.CrossEntropyLoss()
    with setting.watch(net):
        for step in range(150):
            rows = torch.randint(1200, (30,))
            if setting.is_fixed:
                optimizer.zero_grad()
            else:
                optimizer.zero_grad  # noqa: B018
            loss = criterion(net(beats[rows]), kinds[rows])
            loss.backward()
            optimizer.step()
            if step % 30 == 29:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(
    name="zero-grad-without-parentheses",
    train=_train,
    source="Common mistake: a method that is named without being called",
    truth=Truth(
        rules=("gradients-left-over",),
        nodes=("model.filter", "model.filter.weight", "model.filter.bias", "model.class", "model.class.weight", "model.class.bias"),
        step=1,
    ),
)
