"""`init_weights` fills every linear layer with zeros. Only the last bias ever learns anything."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import class_blobs
from evaluation.program import Program, Setting, Truth


def init_zeros(module: nn.Module) -> None:
    if isinstance(module, nn.Linear):
        nn.init.zeros_(module.weight)
        nn.init.zeros_(module.bias)


def init_kaiming(module: nn.Module) -> None:
    if isinstance(module, nn.Linear):
        nn.init.kaiming_normal_(module.weight, nonlinearity="relu")
        nn.init.zeros_(module.bias)


def _train(setting: Setting) -> None:
    samples, labels = class_blobs(1600)
    model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 5))
    model.apply(init_kaiming if setting.is_fixed else init_zeros)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    with setting.watch(model):
        for epoch in range(6):
            correct = 0
            for rows in torch.randperm(1600).split(40):
                output = model(samples[rows])
                loss = nn.functional.cross_entropy(output, labels[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                correct += int((output.argmax(dim=1) == labels[rows]).sum())
            print(f"epoch {epoch}: loss {loss.item():.4f}, accuracy {correct / 1600:.3f}, first output {output[0, 0].item():.4f}")


PROGRAM = Program(
    name="zeros-in-every-layer",
    train=_train,
    source="taourl.com/read-1959901 and Stack Overflow, the model outputs the same value for the entire batch: weights initialized to zero",
    truth=Truth(
        rules=("equal-weights", "zero-gradient", "dead-relu"),
        nodes=("model.0.weight", "model.2.weight", "model.4.weight", "model.0", "model.2", "model.4"),
    ),
)
