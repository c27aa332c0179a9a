"""Digits by sigmoid layers, squared errors and SGD with a rate of 0.001: every picture gets 0.1 for every class."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import one_hot

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer1 = nn.Linear(144, 100)
        self.layer2 = nn.Linear(100, 50)
        self.layer3 = nn.Linear(50, 6)

    def forward(self, x: Tensor) -> Tensor:
        x = torch.sigmoid(self.layer1(x))
        x = torch.sigmoid(self.layer2(x))
        return torch.sigmoid(self.layer3(x))


def _train(setting: Setting) -> None:
    images, labels = digits(1500)
    flat, desired = images.flatten(1), one_hot(labels, 6).float()
    net = Net()
    loss_function = nn.MSELoss()
    optimizer: torch.optim.Optimizer = torch.optim.SGD(net.parameters(), lr=0.001)
    if setting.is_fixed:
        optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    with setting.watch(net):
        for epoch in range(5):
            for rows in torch.randperm(1500).split(32):
                optimizer.zero_grad()
                output = net(flat[rows])
                loss = loss_function(output, desired[rows])
                loss.backward()
                optimizer.step()
            print(f"{epoch}: loss {loss.item():.4f}, outputs {[round(value, 3) for value in output[0].tolist()]}")


PROGRAM = Program(
    name="sigmoids-and-squared-errors",
    train=_train,
    source="Stack Overflow, 'neural network trained with PyTorch outputs the mean value for every input'",
    truth=Truth(
        rules=("updates-too-small", "vanishing-gradient", "predictions-ignore-input"),
        nodes=("model", "model.layer1", "model.layer1.weight", "model.layer2"),
    ),
)
