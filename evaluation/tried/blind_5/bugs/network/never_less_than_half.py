"""A ReLU stands between the last layer and the sigmoid, so that no e-mail is less suspicious than one half."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    mails = (torch.rand(1800, 30) > 0.7).float() - 0.3
    spam = (mails @ torch.randn(30, 1) > 0.5).float()
    model = nn.Sequential(nn.Linear(30, 32), nn.ReLU(), nn.Linear(32, 1))
    if not setting.is_fixed:
        model.append(nn.ReLU())
    model.append(nn.Sigmoid())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    with setting.watch(model):
        for _ in range(8):
            for chosen in torch.randperm(1600).split(40):
                optimizer.zero_grad()
                loss = nn.functional.binary_cross_entropy(model(mails[chosen]), spam[chosen])
                loss.backward()
                optimizer.step()
    with torch.no_grad():
        right = (model(mails[1600:]) > 0.5) == spam[1600:].bool()
    print("loss", loss.item(), "accuracy", right.float().mean().item())


PROGRAM = Program(
    name="never-less-than-half",
    train=_train,
    source="Humbatova et al. 2020: redundant activation; PyTorch forum, ReLU before the sigmoid of the output",
    truth=Truth(
        rules=(
            "activation-after-activation",
            "target-out-of-range",
            "dead-relu",
            "loss-does-not-fall",
            "zero-gradient",
            "dormant-units",
            "same-for-all-samples",
            "predictions-ignore-input",
        ),
        nodes=("model.3", "model.2", "model.4", "model: output"),
    ),
)
