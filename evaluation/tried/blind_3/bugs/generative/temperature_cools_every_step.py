"""The temperature of a Gumbel softmax should fall per epoch, and falls per step: it is 1e-9 soon."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.worlds import pendulums


class Categories(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encode = nn.Sequential(nn.Linear(20, 48), nn.ReLU(), nn.Linear(48, 32))
        self.decode = nn.Sequential(nn.Linear(32, 48), nn.ReLU(), nn.Linear(48, 20))

    def forward(self, curves: Tensor, temperature: float) -> Tensor:
        logits = self.encode(curves).unflatten(1, (4, 8))
        return self.decode(nn.functional.gumbel_softmax(logits, tau=temperature, dim=2).flatten(1))


def _train(setting: Setting) -> None:
    curves = pendulums(800, 10).flatten(1)
    net = Categories()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    temperature = 1.0
    with setting.watch(net):
        for step, (x,) in enumerate(batches(300, 32, curves)):
            loss = nn.functional.mse_loss(net(x, temperature), x)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 25 == 24 or not setting.is_fixed:
                temperature *= 0.93


PROGRAM = Program(
    name="temperature-cools-every-step",
    train=_train,
    source="Jang et al. 2017 (Gumbel softmax); questions about annealing",
    truth=Truth(
        rules=(
            "zero-gradient",
            "gradient-spike",
            "exploding-gradient",
            "vanishing-gradient",
            "nan-origin",
            "runaway-growth",
            "diverging-loss",
            "loss-does-not-fall",
            "updates-too-large",
            "dead-relu",
        ),
        nodes=(
            "model.encode",
            "model.encode.0",
            "model.encode.2",
            "model.encode.0.weight",
            "model.encode.2.weight",
            "model.encode: output",
            "model.encode.2: output",
            "model.encode.1: output",
            "model.encode.1",
            "model.decode: input",
            "model.decode.0: input",
        ),
    ),
)
