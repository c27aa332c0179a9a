"""A layer written by hand draws its weights with `torch.rand`: all are positive, and 200 of them are summed."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class Dense(nn.Module):
    def __init__(self, inputs: int, outputs: int, centred: bool) -> None:
        super().__init__()
        weight = torch.rand(inputs, outputs)
        self.weight = nn.Parameter((2 * weight - 1) / inputs**0.5 if centred else weight)
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, x: Tensor) -> Tensor:
        return x @ self.weight + self.bias


class HandMade(nn.Module):
    def __init__(self, centred: bool) -> None:
        super().__init__()
        self.layer1 = Dense(30, 200, centred)
        self.layer2 = Dense(200, 200, centred)
        self.layer3 = Dense(200, 3, centred)

    def forward(self, x: Tensor) -> Tensor:
        x = torch.tanh(self.layer1(x))
        return self.layer3(torch.tanh(self.layer2(x)))


def _train(setting: Setting) -> None:
    genes = torch.randn(1500, 30)
    kinds = (genes[:, :6] @ torch.randn(6, 3)).argmax(dim=1)
    model = HandMade(centred=setting.is_fixed)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    with setting.watch(model):
        for step in range(160):
            rows = torch.randint(1500, (50,))
            loss = nn.functional.cross_entropy(model(genes[rows]), kinds[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 40 == 39:
                print(step, loss.item())


PROGRAM = Program(
    name="weights-drawn-from-zero-to-one",
    train=_train,
    source="Stack Overflow, nn.Parameter(torch.rand(...)); DeepFD (Cao et al. 2022), wrong initialization",
    truth=Truth(
        rules=("saturated-units", "same-for-all-samples", "vanishing-gradient", "initial-loss", "growing-with-depth", "loss-does-not-fall"),
        nodes=(
            "model.layer2: input x",
            "model.layer3: input x",
            *(f"model.layer{n}{part}" for n in (1, 2, 3) for part in ("", ": output", ".weight")),
        ),
    ),
)
