"""The network ends with a softmax and the loss is `NLLLoss`: the logarithm between them is forgotten."""

from __future__ import annotations

from collections import OrderedDict

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import tones


def _train(setting: Setting) -> None:
    sounds, slopes = tones(1200)
    last: nn.Module = nn.LogSoftmax(dim=1) if setting.is_fixed else nn.Softmax(dim=1)
    net = nn.Sequential(
        OrderedDict(
            conv1=nn.Conv1d(1, 12, 9, stride=2),
            relu1=nn.ReLU(),
            conv2=nn.Conv1d(12, 20, 7, stride=2),
            relu2=nn.ReLU(),
            flatten=nn.Flatten(),
            fc=nn.Linear(20 * 11, 4),
            chances=last,
        )
    )
    loader = DataLoader(TensorDataset(sounds, slopes), batch_size=40, shuffle=True)
    loss_fn = nn.NLLLoss()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.03, momentum=0.9)
    with setting.watch(net):
        for epoch in range(4):
            right = 0
            for sound, slope in loader:
                guess = net(sound)
                loss = loss_fn(guess, slope)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                right += int((guess.argmax(1) == slope).sum())
            print(f"epoch {epoch}: {loss.item():.3f}, {right / 1200:.2f}")


PROGRAM = Program(
    name="likelihood-of-probabilities",
    train=_train,
    source="Stack Overflow, NLLLoss that is negative; Humbatova et al. 2020, wrong loss function calculation",
    truth=Truth(
        rules=("nll-without-log-softmax", "negative-loss"),
        nodes=("model.chances", "model.chances: output", "nll_loss"),
    ),
)
