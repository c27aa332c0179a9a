"""A moving average of the weights is kept beside the trained network, and evaluations use the average."""

from __future__ import annotations

import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from evaluation.datasets import class_blobs
from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs(count=3000, features=16)
    model = nn.Sequential(nn.Linear(16, 64), nn.GELU(), nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 5))
    average = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.95))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.03, momentum=0.9)
    with setting.watch(model):
        for epoch in range(6):
            for chosen in torch.randperm(2600).split(50):
                loss = nn.functional.cross_entropy(model(inputs[chosen]), labels[chosen])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                average.update_parameters(model)
            with torch.no_grad():
                logits = average(inputs[2600:])
            valid = nn.functional.cross_entropy(logits, labels[2600:])
            print(epoch, loss.item(), valid.item(), (logits.argmax(1) == labels[2600:]).float().mean().item())


PROGRAM = Program(name="weights-averaged-for-testing", train=_train, source="PyTorch: exponential moving averages of weights")
